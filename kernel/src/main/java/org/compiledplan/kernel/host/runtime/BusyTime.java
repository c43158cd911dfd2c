package org.compiledplan.kernel.host.runtime;

import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.util.LongAccumulator;

/**
 * An estimate of the time that an operator needs: it measures one in {@value #EVERY} steps, since
 * the clock of each step would cost more than 1 % of a small operator.
 */
final class BusyTime {
  /** A prime, so that no pattern of opening, rows and closing is measured always or never. */
  private static final int EVERY = 17;

  private final LongAccumulator nanos;
  private int turn = ThreadLocalRandom.current().nextInt(EVERY);

  BusyTime(LongAccumulator nanos) {
    this.nanos = nanos;
  }

  /** The start of a step, for {@link #end}; 0 if it is not measured. */
  long begin() {
    if (++turn < EVERY) return 0;
    turn = 0;
    return System.nanoTime();
  }

  void end(long begun) {
    if (begun != 0) nanos.add(EVERY * (System.nanoTime() - begun));
  }
}
