package org.compiledplan.kernel.realtime;

import org.apache.hadoop.conf.Configuration;

/**
 * The task that writes to a sink.
 *
 * @param partition number of its partition
 * @param epoch number of the batch
 * @param ticked true if it receives ticks
 * @param hadoop configuration of the file systems
 */
record Task(long partition, long epoch, boolean ticked, Configuration hadoop) {}
