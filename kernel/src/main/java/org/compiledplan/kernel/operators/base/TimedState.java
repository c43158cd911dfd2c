package org.compiledplan.kernel.operators.base;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.ByteReader;

/**
 * The state of a key with its cleanup timer. The host's bytes are the operator's bytes, the timer's
 * time if there is one, and a tag byte that says which. A key has one timer: set when an expiring
 * entry is first put, moved forward when an entry expires earlier, and set again when it fires too
 * early.
 */
public abstract class TimedState implements KeyedState {
  /** Tag byte: there is no timer. */
  private static final byte WITHOUT_TIMER = 2;

  /** Tag byte: the eight bytes before it are the timer's time. */
  private static final byte WITH_TIMER = 3;

  /** Rough estimates: bytes that a row adds to a state, and bytes of memory per stored byte. */
  private static final int BYTES_PER_PUT = 64;

  /** Size in bytes below which the put counter alone estimates the size. */
  private static final int MEASURED_FROM = 1 << 12;

  private static final int MEMORY_FACTOR = 4;

  /** The operator's bytes; unused while there is a decoded value. */
  private byte[] bytes;

  private boolean loaded;

  /** The value put last, if the host caches decoded state; encoded on demand. */
  private KeyState value;

  private StateFormat<KeyState> format;

  /** Encoded size of the value when last measured, in bytes, and number of puts since. */
  private int measured;

  private int unmeasured;

  /** True if the last put has not been written to the host. */
  private boolean pending;

  /** Size in bytes of the key's state in the host. */
  private int stored;

  private OptionalLong timer = OptionalLong.empty();
  private OptionalLong firedAt = OptionalLong.empty();
  private long earliest = Long.MIN_VALUE;

  protected abstract String uid();

  /** Returns the host's bytes, null if there are none. */
  protected abstract byte[] load();

  protected abstract void store(byte[] bytes);

  protected abstract void clear();

  /**
   * Returns the time in ms at which to check a key whose first entry expires at {@code expiry}; not
   * before that.
   */
  protected long due(long expiry) {
    return expiry;
  }

  protected abstract void setTimer(long time);

  protected abstract void dropTimer(long time);

  /** Returns true if puts are written to the host later, by {@link #write}. */
  protected boolean writesLater() {
    return false;
  }

  /** Adds to the entry count of the metrics; negative for removed entries. */
  protected abstract void countEntries(int delta);

  /** Adds to the byte count of the metrics; negative for removed bytes. */
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
   * The parts of the host's bytes.
   *
   * @param bytes the operator's bytes
   * @param timer the time of the set timer, in ms
   */
  public record Parts(byte[] bytes, OptionalLong timer) {}

  /**
   * Splits the host's bytes.
   *
   * @param uid the operator, for the message
   * @throws StateFormatException if the tag byte is unknown: another release wrote the bytes
   */
  public static Parts split(String uid, byte[] stored) {
    int form = stored[stored.length - 1];
    if (form != WITHOUT_TIMER && form != WITH_TIMER) {
      throw new StateFormatException(
          ("operator %s: its state has the unknown timer tag %s, known are %s and %s; "
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

  /** Returns the time of the set timer in ms. */
  public OptionalLong timer() {
    find();
    return timer;
  }

  /**
   * Notes that the timer has fired and is no longer set.
   *
   * @param now time in ms up to which timers fire; the next timer is after it
   */
  public void fired(long now) {
    find();
    timer = OptionalLong.empty();
    firedAt = OptionalLong.of(now);
  }

  /**
   * Starts with the state of a key that has none, without a lookup. An entry due immediately waits
   * for the next micro-batch.
   *
   * @param now time in ms up to which timers fire in this micro-batch
   */
  public void begin(long now) {
    loaded = true;
    earliest = TimeMath.plus(now, 1);
  }

  /** Resets the per-session fields when a cached state is used in another session. */
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
    if (!writesLater() || !state.isReusable()) {
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
  public void reschedule(OptionalLong nextExpiry) {
    find();
    put(nextExpiry, 0);
  }

  private void put(OptionalLong nextExpiry, int entriesDelta) {
    if (nextExpiry.isPresent()) moveTimer(Math.max(earliest, due(nextExpiry.getAsLong())));
    flush();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }

  /**
   * Re-measures the encoded size occasionally, so that the cost is a fraction of the added bytes.
   */
  private void measure() {
    if (++unmeasured * (long) BYTES_PER_PUT <= Math.max(measured, MEASURED_FROM)) return;
    measured = format.write(value).length;
    unmeasured = 0;
  }

  /** Returns the approximate size in memory, in bytes. */
  public final long size() {
    if (value == null) return bytes == null ? 0 : bytes.length;
    return MEMORY_FACTOR * (measured + (long) unmeasured * BYTES_PER_PUT);
  }

  private void flush() {
    pending = true;
    if (!writesLater()) write();
  }

  /** Writes a pending put to the host. */
  public final void write() {
    if (!pending) return;
    pending = false;
    if (isThere()) {
      byte[] whole = join(get(), timer);
      store(whole);
      countStored(whole.length);
    } else if (stored > 0) {
      clear();
      countStored(0);
    }
  }

  private void countStored(int length) {
    if (length != stored) countBytes(length - stored);
    stored = length;
  }

  private void moveTimer(long due) {
    if (timer.isPresent()) {
      if (timer.getAsLong() <= due) return;
      dropTimer(timer.getAsLong());
    }
    // Entries due now are handled when the timer fires; a timer for them would fire forever.
    if (firedAt.isPresent() && due <= firedAt.getAsLong()) {
      throw new IllegalStateException(
          "a timer at " + due + " is set by one that fires at " + firedAt.getAsLong());
    }
    timer = OptionalLong.of(due);
    setTimer(due);
  }

  /** Joins an operator's bytes and the time of its timer, in ms, into the host's bytes. */
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
    flush();
    if (entriesDelta != 0) countEntries(entriesDelta);
  }
}
