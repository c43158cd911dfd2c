package org.compiledplan.kernel.realtime;

import org.apache.hadoop.conf.Configuration;

/**
 * The task that writes to a sink.
 *
 * @param partition number of its partition
 * @param epoch number of the batch
 * @param ticked whether ticks come to it
 * @param hadoop of the file systems
 */
record Task(long partition, long epoch, boolean ticked, Configuration hadoop) {}
