/**
 * Classes that refer to Flink's {@code flink-table-common}, which a session may get after the
 * kernel: see {@code UserFunctions}.
 */
package org.compiledplan.kernel.userfunctions.flink;
