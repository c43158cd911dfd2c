/**
 * The keyed operators of a plan, one class each, without Spark.
 *
 * <p>{@link org.compiledplan.kernel.operators.Operators} makes one from its description. An
 * operator opens a {@link org.compiledplan.kernel.operators.Session} for each key and micro-batch,
 * which takes the key's rows in their order, emits rows and writes the key's state as bytes. Tests
 * run them with a clock of their own.
 */
package org.compiledplan.kernel.operators;
