package org.compiledplan.kernel.realtime;

import org.apache.hadoop.conf.Configuration;

/** The task that writes to a sink. */
final class Task {
  /** Number of its partition. */
  final long partition;

  /** Number of the batch. */
  final long epoch;

  /** Whether ticks come to it. */
  final boolean ticked;

  /** Of the file systems. */
  final Configuration hadoop;

  Task(long partition, long epoch, boolean ticked, Configuration hadoop) {
    this.partition = partition;
    this.epoch = epoch;
    this.ticked = ticked;
    this.hadoop = hadoop;
  }
}
