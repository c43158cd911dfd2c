/**
 * Expressions of Spark that call the kernel: join conditions and user functions.
 *
 * <p>The names of these classes are part of the checkpoint format: {@code stages.json} contains
 * join conditions as serialized objects. A class that moves makes checkpoints unreadable for other
 * releases. The Spark side of the kernel is in the packages below; Python calls {@link
 * org.compiledplan.kernel.host.stage.Stage}.
 */
package org.compiledplan.kernel.host;
