/**
 * Hadoop's local file system without shell commands.
 *
 * <p>Where Hadoop finds no native library, and Spark's packages bring none, it starts a process for
 * each permission that it sets and each link that it looks for: some thirty in a micro-batch of a
 * query with RocksDB state in two partitions.
 */
package org.compiledplan.kernel.files;
