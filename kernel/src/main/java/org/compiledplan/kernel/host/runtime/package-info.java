/**
 * The operators of a stage in a task: its description, rows in and out, counters, and state without
 * a query.
 */
package org.compiledplan.kernel.host.runtime;
