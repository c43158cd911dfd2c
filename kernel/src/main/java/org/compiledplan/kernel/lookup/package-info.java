/** Tables that are asked for the rows of a key, over JDBC. */
package org.compiledplan.kernel.lookup;
