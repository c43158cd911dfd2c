package org.compiledplan.kernel.operators;

/**
 * What an operator may know of the micro-batch.
 *
 * @param processingTime in ms since 1970, the same throughout a micro-batch and when it is replayed
 * @param watermark in ms since 1970 at the start of the micro-batch, {@code Long.MIN_VALUE} if
 *     there is none yet. Timers in event time up to it, itself included, are due once the batch's
 *     rows are through.
 */
public record BatchContext(long processingTime, long watermark) {}
