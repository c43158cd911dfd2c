/**
 * Stages of keyed operators inside Spark queries: the Spark side of the kernel.
 *
 * <p>{@link org.compiledplan.kernel.host.Stage} is called from Python. What a stage is given, how
 * its operators are described and how its state is laid out is written in {@code kernel/README.md}.
 */
package org.compiledplan.kernel.host;
