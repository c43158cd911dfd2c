/**
 * Aligned windows, sessions and windows of a number of rows: aggregates, joins, ranks and
 * deduplication.
 */
package org.compiledplan.kernel.operators.window;
