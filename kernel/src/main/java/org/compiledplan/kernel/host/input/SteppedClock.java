package org.compiledplan.kernel.host.input;

/**
 * The clock of a test: its time stands still until the test sets it, and a query with a trigger
 * interval begins a micro-batch only when the test asks for one.
 */
public final class SteppedClock extends BatchClock {
  private long time;
  private int requests;
  private boolean isWaiting;

  /**
   * @param time ms since 1970
   */
  public SteppedClock(long time) {
    super(time, time);
    this.time = time;
  }

  @Override
  public void follow(long now) {
    // The machine's time is not the test's.
  }

  @Override
  public synchronized long getTimeMillis() {
    return time;
  }

  /** Sets the time, in ms since 1970. */
  public synchronized void set(long millis) {
    time = millis;
  }

  @Override
  public synchronized long waitTillTime(long target) {
    isWaiting = true;
    notifyAll();
    try {
      while (requests == 0) wait();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    if (requests > 0) requests--;
    isWaiting = false;
    return time;
  }

  /** Forgets the query before: the next one starts. */
  public synchronized void begin() {
    isWaiting = false;
    requests = 0;
  }

  /** Requests a micro-batch. */
  public synchronized void request() {
    requests++;
    isWaiting = false;
    notifyAll();
  }

  /**
   * Waits until the query waits for a request.
   *
   * @return false if it does not within {@code millis}
   */
  public synchronized boolean awaitIdle(long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!isWaiting || requests > 0) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) return false;
      wait(left);
    }
    return true;
  }
}
