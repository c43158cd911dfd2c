/**
 * Conversion of Flink's keyed state, in the neutral form of a savepoint, into the state of the
 * operators that continue it: one class per operator.
 */
package org.compiledplan.kernel.flink.mapping;
