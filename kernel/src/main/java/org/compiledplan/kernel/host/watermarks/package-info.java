/** Watermarks of a query: of partitions, of sources, of rows, and in real-time mode of stages. */
package org.compiledplan.kernel.host.watermarks;
