package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * State that is one entry: a version byte, the time of the last write and the operator's bytes. Serves all
 * operators whose state for a key expires as a whole.
 */
final class SingleEntry {
  private static final int VERSION = 1;

  private final long ttl;
  private final ByteWriter writer = new ByteWriter(256);

  SingleEntry(long ttl) {
    this.ttl = ttl;
  }

  /** A reader at the operator's bytes; null if there are none or they have expired. */
  ByteReader read(byte[] bytes, long now) {
    if (bytes == null) return null;
    ByteReader in = new ByteReader(bytes);
    int version = in.readByte();
    if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
    return Ttl.isExpired(in.readFixedLong(), ttl, now) ? null : in;
  }

  /** A writer for the operator's bytes, to be given to {@link #put}; valid until the next call. */
  ByteWriter start(long now) {
    writer.clear();
    writer.writeByte(VERSION);
    writer.writeFixedLong(now);
    return writer;
  }

  /** Stores what was written since {@link #start}. */
  void put(KeyedState state, long now, boolean isNew) {
    putUntil(state, Ttl.expiry(now, ttl), isNew);
  }

  /** The same for an operator whose timers are not for expiry: the next one is due at the given time. */
  void putUntil(KeyedState state, OptionalLong due, boolean isNew) {
    state.put(writer.toBytes(), due, isNew ? 1 : 0);
  }

  /** Removes the entry if it has expired, else asks for another timer. */
  void onTimer(KeyedState state, long now) {
    byte[] bytes = state.get();
    if (bytes == null) return;
    if (read(bytes, now) == null) {
      state.remove(-1);
    } else {
      long lastWrite = new ByteReader(bytes, 1, 8).readFixedLong();
      state.put(bytes, Ttl.expiry(lastWrite, ttl), 0);
    }
  }
}
