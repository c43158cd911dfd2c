/**
 * Changes of a table of Iceberg as a streaming source: positions, snapshots and rows. The classes
 * use Spark's interfaces alone, and none of Iceberg.
 */
package org.compiledplan.kernel.host.iceberg;
