/** Files of lines as a file format of Spark's, whose rows are decoded as they are read. */
package org.compiledplan.kernel.lines;
