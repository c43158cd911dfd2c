/**
 * Conversion of one operator's state into another's, based on the descriptions of both. Independent
 * of Spark.
 */
package org.compiledplan.kernel.state.conversion;
