/**
 * Hadoop's local file system without shell commands.
 *
 * <p>Without Hadoop's native library, which Spark's packages do not include, Hadoop starts a
 * process for each permission that it sets and each link that it checks: some thirty in a
 * micro-batch of a query with RocksDB state in two partitions.
 */
package org.compiledplan.kernel.files;
