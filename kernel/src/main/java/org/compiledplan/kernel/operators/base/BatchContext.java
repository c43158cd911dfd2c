package org.compiledplan.kernel.operators.base;

/**
 * Times of the current micro-batch.
 *
 * @param processingTime ms since 1970, constant during a micro-batch and when it is replayed
 * @param watermark ms since 1970 at the start of the micro-batch, {@code Long.MIN_VALUE} before the
 *     first watermark. Event-time timers up to and including it fire after the batch's rows.
 */
public record BatchContext(long processingTime, long watermark) {}
