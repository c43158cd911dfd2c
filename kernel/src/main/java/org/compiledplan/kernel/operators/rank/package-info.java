/** Row numbers: top-n, deduplication, and counters of rows. */
package org.compiledplan.kernel.operators.rank;
