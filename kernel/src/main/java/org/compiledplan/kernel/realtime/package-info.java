/** Queries in Spark's Real-time Mode: how rows reach their sinks one by one, ticks, the clock. */
package org.compiledplan.kernel.realtime;
