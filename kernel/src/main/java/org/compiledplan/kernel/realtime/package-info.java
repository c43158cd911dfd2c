/** Queries in Spark's Real-time Mode: row-by-row sinks, ticks, the clock. */
package org.compiledplan.kernel.realtime;
