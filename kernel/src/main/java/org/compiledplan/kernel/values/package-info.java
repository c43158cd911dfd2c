/** Types of values, their equality and order, and their form as bytes in state. */
package org.compiledplan.kernel.values;
