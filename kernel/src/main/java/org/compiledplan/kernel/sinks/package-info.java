/** Idempotent writes of micro-batches to external sinks. */
package org.compiledplan.kernel.sinks;
