/**
 * The keyed operators of a plan, one class each, independent of Spark.
 *
 * <p>{@link org.compiledplan.kernel.operators.Operators} creates an operator from its description.
 * An operator opens a {@link org.compiledplan.kernel.operators.base.Session} per key and
 * micro-batch, which processes the key's rows in order, emits rows and writes the key's state as
 * bytes. Tests run operators with a fake clock.
 */
package org.compiledplan.kernel.operators;
