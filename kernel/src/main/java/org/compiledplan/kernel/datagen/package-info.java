/** The rows that the connector {@code datagen} makes. */
package org.compiledplan.kernel.datagen;
