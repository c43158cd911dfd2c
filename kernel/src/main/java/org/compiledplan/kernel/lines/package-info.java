/** Line-based files as a Spark file format whose rows are decoded while they are read. */
package org.compiledplan.kernel.lines;
