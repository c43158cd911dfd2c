/**
 * Access to Spark's internals: plans, types, parts of tasks, the start of a session, and the gate
 * to all that differs between versions of Spark.
 */
package org.compiledplan.kernel.host.spark;
