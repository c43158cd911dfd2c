package org.compiledplan.kernel.operators;

import java.util.Arrays;
import org.compiledplan.kernel.values.ByteReader;

/**
 * The state of a key with its cleanup timer. The host's bytes are the operator's, then eight bytes with the
 * time of the timer (0: none), then a version byte. A key has one timer: set when an entry that expires is
 * first put, moved when something expires earlier, and set anew when it fires too early.
 */
public abstract class TimedState implements KeyedState {
  /** What {@link #timer()} says when none is set. */
  public static final long NO_TIMER = Long.MIN_VALUE;
  private static final int VERSION = 1;
  private static final int TRAILER = 9;

  private byte[] bytes;
  private boolean loaded;
  private long timer = NO_TIMER;

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
      if (stored != null) {
        if (stored[stored.length - 1] != VERSION) {
          throw new IllegalStateException("unknown version " + stored[stored.length - 1] + " of state bytes");
        }
        timer = swapped(new ByteReader(stored, stored.length - TRAILER, 8).readFixedLong());
        bytes = Arrays.copyOf(stored, stored.length - TRAILER);
      }
    }
    return bytes;
  }

  /** In the bytes 0 is for no timer; a timer at 0 itself, in event time, takes the other's place. */
  private static long swapped(long time) {
    return time == 0 ? NO_TIMER : time == NO_TIMER ? 0 : time;
  }

  /** Time of the timer that is set, {@link #NO_TIMER} if none is. */
  public long timer() {
    get();
    return timer;
  }

  /** To be called when the timer has fired: it is no longer set. */
  public void fired() {
    get();
    timer = NO_TIMER;
  }

  @Override
  public void put(byte[] next, long nextExpiry, int entriesDelta) {
    get();
    long due = nextExpiry == Ttl.NEVER ? Ttl.NEVER : due(nextExpiry);
    if (due != Ttl.NEVER && (timer == NO_TIMER || due < timer)) {
      if (timer != NO_TIMER) dropTimer(timer);
      timer = due;
      setTimer(due);
    }
    bytes = next;
    byte[] stored = Arrays.copyOf(next, next.length + TRAILER);
    long value = swapped(timer);
    for (int i = 7; i >= 0; i--) {
      stored[next.length + i] = (byte) value;
      value >>>= 8;
    }
    stored[stored.length - 1] = VERSION;
    store(stored);
    if (entriesDelta != 0) countEntries(entriesDelta);
  }

  @Override
  public void remove(int entriesDelta) {
    get();
    if (timer != NO_TIMER) dropTimer(timer);
    timer = NO_TIMER;
    bytes = null;
    clear();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }
}
