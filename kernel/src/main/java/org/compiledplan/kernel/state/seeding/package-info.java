/**
 * Initial state of a checkpoint: from the state of an earlier program, or from a savepoint of
 * Flink.
 */
package org.compiledplan.kernel.state.seeding;
