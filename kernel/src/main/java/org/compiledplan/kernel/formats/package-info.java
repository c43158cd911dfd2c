/** Formats of files: rows from lines and bytes, and back. */
package org.compiledplan.kernel.formats;
