/** Databases over JDBC: drivers, connections, values, and writing in transactions. */
package org.compiledplan.kernel.jdbc;
