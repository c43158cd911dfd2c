/** Formats: decoding rows from lines and messages, and encoding them. */
package org.compiledplan.kernel.formats;
