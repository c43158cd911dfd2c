/** Rows of the connector {@code datagen}. */
package org.compiledplan.kernel.datagen;
