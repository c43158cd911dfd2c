/**
 * The form of state: fields that are declared once and so read, written, described, and turned into
 * names and values and back. Knows no Spark and no operator.
 */
package org.compiledplan.kernel.state;
