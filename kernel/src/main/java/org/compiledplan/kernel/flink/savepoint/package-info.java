/**
 * Savepoints of Flink in a neutral form, in a process of its own: classes that refer to Flink's
 * runtime, and not to Spark.
 */
package org.compiledplan.kernel.flink.savepoint;
