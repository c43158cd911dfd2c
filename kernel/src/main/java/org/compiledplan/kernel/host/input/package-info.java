/**
 * Input of a query: clocks, bounds, names of sources, order numbers, and the input of one batch.
 */
package org.compiledplan.kernel.host.input;
