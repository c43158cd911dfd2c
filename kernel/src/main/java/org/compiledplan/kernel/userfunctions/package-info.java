/**
 * User functions in Java, written against Flink's interfaces: the part that does not refer to
 * Flink's classes.
 */
package org.compiledplan.kernel.userfunctions;
