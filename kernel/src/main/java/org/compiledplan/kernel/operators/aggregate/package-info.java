/** Group aggregation, and the aggregate calls shared by windows and OVER. */
package org.compiledplan.kernel.operators.aggregate;
