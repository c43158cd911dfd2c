/**
 * Aggregate functions with retraction, by their names in a plan: see {@link
 * org.compiledplan.kernel.aggregates.AggregateFunctions}.
 */
package org.compiledplan.kernel.aggregates;
