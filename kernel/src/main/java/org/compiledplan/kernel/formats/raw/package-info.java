/** Values as text: the formats {@code raw} and {@code print}. */
package org.compiledplan.kernel.formats.raw;
