/** Lookup tables over JDBC. */
package org.compiledplan.kernel.lookup;
