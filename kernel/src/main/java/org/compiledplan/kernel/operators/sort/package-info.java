/** Sorts in event time and in processing time. */
package org.compiledplan.kernel.operators.sort;
