/**
 * State serialization: fields are declared once and thereby read, written, described, and converted
 * to names and values and back. Independent of Spark and of operators.
 */
package org.compiledplan.kernel.state.serialization;
