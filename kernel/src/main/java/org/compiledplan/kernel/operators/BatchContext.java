package org.compiledplan.kernel.operators;

/** What an operator may know of the micro-batch. */
public final class BatchContext {
  /**
   * Processing time in ms since 1970, the same throughout a micro-batch and when it is replayed.
   */
  public final long processingTime;

  /**
   * Watermark in ms since 1970 at the start of the micro-batch, {@code Long.MIN_VALUE} if there is
   * none yet. Timers in event time up to it, itself included, are due once the batch's rows are
   * through.
   */
  public final long watermark;

  public BatchContext(long processingTime, long watermark) {
    this.processingTime = processingTime;
    this.watermark = watermark;
  }
}
