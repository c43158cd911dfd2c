/**
 * State of one operator made into that of another, by what both say of their fields. Knows no
 * Spark.
 */
package org.compiledplan.kernel.upgrade;
