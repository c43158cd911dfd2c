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

  /** What a row may add to a state, and what a value takes of memory for a byte of it, about. */
  private static final int BYTES_A_PUT = 64;

  /** Below that what was put tells enough of the size. */
  private static final int MEASURED_FROM = 1 << 12;

  private static final int TIMES_OF_A_VALUE = 4;

  /** The operator's bytes; not used while there is a value. */
  private byte[] bytes;

  private boolean loaded;

  /** What was put last, where it is kept as it is; its bytes are made when they are needed. */
  private KeyState value;

  private StateFormat<KeyState> format;

  /** How many bytes the value had when they were made last, and how often it was put since. */
  private int measured;

  private int unmeasured;

  /** Whether the host has not got what was put last. */
  private boolean pending;

  /** How many bytes the host has of the key. */
  private int stored;

  private OptionalLong timer = OptionalLong.empty();
  private OptionalLong firedAt = OptionalLong.empty();
  private long earliest = Long.MIN_VALUE;

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

  /** Whether the host takes what is put when it asks for it, by {@link #write}, not at once. */
  protected boolean writesLater() {
    return false;
  }

  /** Counts entries that were added, or taken away if negative; for the metrics. */
  protected abstract void countEntries(int delta);

  /** Counts bytes that the host was given, or has no more if negative; for the metrics. */
  protected void countBytes(int delta) {}

  @Override
  public byte[] get() {
    find();
    return value == null ? bytes : format.write(value);
  }

  @Override
  public boolean isThere() {
    find();
    return value != null || bytes != null;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <S extends KeyState> S read(StateFormat<S> format) {
    find();
    return value == null ? format.read(bytes) : (S) value;
  }

  private void find() {
    if (loaded) return;
    byte[] bytes = load();
    loaded = true;
    if (bytes != null) split(bytes);
  }

  private void split(byte[] hostBytes) {
    stored = hostBytes.length;
    Parts parts = split(uid(), hostBytes);
    bytes = parts.bytes;
    timer = parts.timer;
  }

  /**
   * The host's bytes, taken apart.
   *
   * @param bytes the operator's bytes
   * @param timer the time of the timer that is set
   */
  public record Parts(byte[] bytes, OptionalLong timer) {}

  /**
   * The parts of the host's bytes.
   *
   * @throws StateFormatException if they are of another release
   */
  public static Parts split(String uid, byte[] stored) {
    int form = stored[stored.length - 1];
    if (form != WITHOUT_TIMER && form != WITH_TIMER) {
      throw new StateFormatException(
          ("operator %s: its state ends with the form of timer %s, known here are %s and %s; "
                  + "run it with the release that wrote it, or start with an empty checkpoint")
              .formatted(uid, form, WITHOUT_TIMER, WITH_TIMER));
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
    find();
    return timer;
  }

  /**
   * To be called when the timer has fired: it is no longer set.
   *
   * @param now the time up to which timers fire: the next one is after it
   */
  public void fired(long now) {
    find();
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

  /** To be called when a state that is kept is used again, in another session. */
  protected final void reopen() {
    firedAt = OptionalLong.empty();
    earliest = Long.MIN_VALUE;
  }

  @Override
  public void put(byte[] next, OptionalLong nextExpiry, int entriesDelta) {
    find();
    value = null;
    bytes = next;
    put(nextExpiry, entriesDelta);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <S extends KeyState> void put(
      StateFormat<S> format, S state, OptionalLong nextExpiry, int entriesDelta) {
    if (!writesLater() || !state.mayBeGivenAgain()) {
      put(format.write(state), nextExpiry, entriesDelta);
      return;
    }
    find();
    if (value == null) measured = stored;
    this.format = (StateFormat<KeyState>) format;
    value = state;
    bytes = null;
    measure();
    put(nextExpiry, entriesDelta);
  }

  @Override
  public void again(OptionalLong nextExpiry) {
    find();
    put(nextExpiry, 0);
  }

  private void put(OptionalLong nextExpiry, int entriesDelta) {
    if (nextExpiry.isPresent()) moveTimer(Math.max(earliest, due(nextExpiry.getAsLong())));
    give();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }

  /** Finds the size of a value, now and then: what that costs is a share of what was added. */
  private void measure() {
    if (++unmeasured * (long) BYTES_A_PUT <= Math.max(measured, MEASURED_FROM)) return;
    measured = format.write(value).length;
    unmeasured = 0;
  }

  /** About how many bytes of memory it takes. */
  public final long size() {
    if (value == null) return bytes == null ? 0 : bytes.length;
    return TIMES_OF_A_VALUE * (measured + (long) unmeasured * BYTES_A_PUT);
  }

  private void give() {
    pending = true;
    if (!writesLater()) write();
  }

  /** Gives the host what it has not got. */
  public final void write() {
    if (!pending) return;
    pending = false;
    if (isThere()) {
      byte[] whole = join(get(), timer);
      store(whole);
      keeps(whole.length);
    } else if (stored > 0) {
      clear();
      keeps(0);
    }
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
    find();
    if (timer.isPresent()) dropTimer(timer.getAsLong());
    timer = OptionalLong.empty();
    value = null;
    bytes = null;
    give();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }
}
