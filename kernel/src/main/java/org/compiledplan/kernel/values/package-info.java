/** Types of values, their equality, order, and binary encoding in state. */
package org.compiledplan.kernel.values;
