/** Files of tables: their order, the values in their paths, and the base of Spark file formats. */
package org.compiledplan.kernel.formats.files;
