/**
 * Stages of keyed operators inside Spark queries: the Spark side of the kernel.
 *
 * <p>{@link org.compiledplan.kernel.host.Stage} is called from Python. {@code kernel/README.md}
 * describes a stage's input, its operators' descriptions and the layout of its state.
 */
package org.compiledplan.kernel.host;
