package org.compiledplan.kernel.operators;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;

/**
 * The state of a key with its cleanup timer. The host's bytes are the operator's, then the time of the timer if
 * there is one, then a byte that tells which. A key has one timer: set when an entry that expires is first put,
 * moved when something expires earlier, and set anew when it fires too early.
 */
public abstract class TimedState implements KeyedState {
  /** The last byte: eight bytes before it are the timer's time, but for 0, which is none, and see {@link #oldTime}. */
  private static final byte OLD = 1;
  private static final byte WITHOUT_TIMER = 2;
  /** The same: eight bytes before it are the timer's time. */
  private static final byte WITH_TIMER = 3;

  private byte[] bytes;
  private boolean loaded;
  private OptionalLong timer = OptionalLong.empty();
  private OptionalLong firedAt = OptionalLong.empty();

  /** The host's bytes, null if there are none. */
  protected abstract byte[] load();

  protected abstract void store(byte[] bytes);

  protected abstract void clear();

  /** When to look at a key of which something expires at the given time; not before that. */
  protected long due(long expiry) {
    return expiry;
  }

  protected abstract void setTimer(long time);

  protected abstract void dropTimer(long time);

  /** Counts entries that were added, or taken away if negative; for the metrics. */
  protected abstract void countEntries(int delta);

  @Override
  public byte[] get() {
    if (!loaded) {
      byte[] stored = load();
      loaded = true;
      if (stored != null) read(stored);
    }
    return bytes;
  }

  private void read(byte[] stored) {
    int form = stored[stored.length - 1];
    if (form != OLD && form != WITHOUT_TIMER && form != WITH_TIMER) {
      throw new IllegalStateException("unknown version " + form + " of state bytes");
    }
    int length = stored.length - (form == WITHOUT_TIMER ? 1 : 9);
    bytes = Arrays.copyOf(stored, length);
    if (form == WITHOUT_TIMER) return;
    long time = new ByteReader(stored, length, 8).readFixedLong();
    timer = form == WITH_TIMER ? OptionalLong.of(time) : oldTime(time);
  }

  /** A timer at 0 was written as the first of all times, for 0 was none. */
  private static OptionalLong oldTime(long time) {
    if (time == 0) return OptionalLong.empty();
    return OptionalLong.of(time == Long.MIN_VALUE ? 0 : time);
  }

  /** Time of the timer that is set. */
  public OptionalLong timer() {
    get();
    return timer;
  }

  /**
   * To be called when the timer has fired: it is no longer set.
   *
   * @param now the time up to which timers fire: the next one is after it
   */
  public void fired(long now) {
    get();
    timer = OptionalLong.empty();
    firedAt = OptionalLong.of(now);
  }

  @Override
  public void put(byte[] next, OptionalLong nextExpiry, int entriesDelta) {
    get();
    if (nextExpiry.isPresent()) moveTimer(due(nextExpiry.getAsLong()));
    bytes = next;
    store(stored());
    if (entriesDelta != 0) countEntries(entriesDelta);
  }

  private void moveTimer(long due) {
    if (timer.isPresent()) {
      if (timer.getAsLong() <= due) return;
      dropTimer(timer.getAsLong());
    }
    // What is due is to be done when the timer fires. A timer for it would fire for ever.
    if (firedAt.isPresent() && due <= firedAt.getAsLong()) {
      throw new IllegalStateException("a timer at " + due + " is set by one that fires at " + firedAt.getAsLong());
    }
    timer = OptionalLong.of(due);
    setTimer(due);
  }

  private byte[] stored() {
    byte[] stored = Arrays.copyOf(bytes, bytes.length + (timer.isPresent() ? 9 : 1));
    stored[stored.length - 1] = timer.isPresent() ? WITH_TIMER : WITHOUT_TIMER;
    if (timer.isEmpty()) return stored;
    long time = timer.getAsLong();
    for (int i = 7; i >= 0; i--) {
      stored[bytes.length + i] = (byte) time;
      time >>>= 8;
    }
    return stored;
  }

  @Override
  public void remove(int entriesDelta) {
    get();
    if (timer.isPresent()) dropTimer(timer.getAsLong());
    timer = OptionalLong.empty();
    bytes = null;
    clear();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }
}
