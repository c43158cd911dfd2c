/**
 * Basics of the operators: their description, sessions per key, state with its times and formats,
 * rows, and order. Independent of the other rooms.
 */
package org.compiledplan.kernel.operators.base;
