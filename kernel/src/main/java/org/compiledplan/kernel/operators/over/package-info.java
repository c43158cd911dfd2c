/** OVER windows in event time, in processing time, and ordered by any columns. */
package org.compiledplan.kernel.operators.over;
