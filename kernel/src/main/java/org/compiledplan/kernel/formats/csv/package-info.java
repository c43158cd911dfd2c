/** CSV: records parsed from their bytes, or with quotes and escapes. */
package org.compiledplan.kernel.formats.csv;
