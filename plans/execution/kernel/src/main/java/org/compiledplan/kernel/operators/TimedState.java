package org.compiledplan.kernel.operators;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.StateFormatException;
import org.compiledplan.kernel.values.ByteReader;

/**
 * The state of a key with its cleanup timer. The host's bytes are the operator's, then the time of
 * the timer if there is one, then a byte that tells which. A key has one timer: set when an entry
 * that expires is first put, moved when something expires earlier, and set anew when it fires too
 * early.
 */
public abstract class TimedState implements KeyedState {
  /** The last byte: there is no timer. */
  private static final byte WITHOUT_TIMER = 2;

  /** The same: eight bytes before it are the timer's time. */
  private static final byte WITH_TIMER = 3;

  private byte[] bytes;
  private boolean loaded;

  /** How many bytes the host has of the key. */
  private int stored;

  private OptionalLong timer = OptionalLong.empty();
  private OptionalLong firedAt = OptionalLong.empty();
  private long earliest = Long.MIN_VALUE;

  /** The uid of the operator. */
  protected abstract String uid();

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

  /** Counts bytes that the host was given, or has no more if negative; for the metrics. */
  protected void countBytes(int delta) {}

  @Override
  public byte[] get() {
    if (!loaded) {
      byte[] found = load();
      loaded = true;
      if (found != null) read(found);
    }
    return bytes;
  }

  private void read(byte[] found) {
    stored = found.length;
    Parts parts = split(uid(), found);
    bytes = parts.bytes;
    timer = parts.timer;
  }

  /** The host's bytes, taken apart. */
  public static final class Parts {
    /** The operator's bytes. */
    public final byte[] bytes;

    /** The time of the timer that is set. */
    public final OptionalLong timer;

    private Parts(byte[] bytes, OptionalLong timer) {
      this.bytes = bytes;
      this.timer = timer;
    }
  }

  /**
   * The parts of the host's bytes.
   *
   * @throws StateFormatException if they are of another release
   */
  public static Parts split(String uid, byte[] stored) {
    int form = stored[stored.length - 1];
    if (form != WITHOUT_TIMER && form != WITH_TIMER) {
      throw new StateFormatException(
          "operator "
              + uid
              + ": its state ends with the form of timer "
              + form
              + ", known here are "
              + WITHOUT_TIMER
              + " and "
              + WITH_TIMER
              + "; run it with the release that wrote it, or start with an empty checkpoint");
    }
    int length = stored.length - (form == WITHOUT_TIMER ? 1 : 9);
    return new Parts(
        Arrays.copyOf(stored, length),
        form == WITHOUT_TIMER
            ? OptionalLong.empty()
            : OptionalLong.of(new ByteReader(stored, length, 8).readFixedLong()));
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

  /**
   * Begins the state of a key that has none, which is not looked for. Whatever is due at once waits
   * for the next micro-batch.
   *
   * @param now the time up to which timers fire in this one
   */
  public void begin(long now) {
    loaded = true;
    earliest = TimeMath.plus(now, 1);
  }

  @Override
  public void put(byte[] next, OptionalLong nextExpiry, int entriesDelta) {
    get();
    if (nextExpiry.isPresent()) {
      moveTimer(Math.max(earliest, due(nextExpiry.getAsLong())));
    }
    bytes = next;
    byte[] whole = join(bytes, timer);
    store(whole);
    keeps(whole.length);
    if (entriesDelta != 0) countEntries(entriesDelta);
  }

  private void keeps(int length) {
    if (length != stored) countBytes(length - stored);
    stored = length;
  }

  private void moveTimer(long due) {
    if (timer.isPresent()) {
      if (timer.getAsLong() <= due) return;
      dropTimer(timer.getAsLong());
    }
    // What is due is to be done when the timer fires. A timer for it would fire for ever.
    if (firedAt.isPresent() && due <= firedAt.getAsLong()) {
      throw new IllegalStateException(
          "a timer at " + due + " is set by one that fires at " + firedAt.getAsLong());
    }
    timer = OptionalLong.of(due);
    setTimer(due);
  }

  /** The host's bytes of an operator's, with the time of a timer if one is set. */
  public static byte[] join(byte[] bytes, OptionalLong timer) {
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
    keeps(0);
    if (entriesDelta != 0) countEntries(entriesDelta);
  }
}
