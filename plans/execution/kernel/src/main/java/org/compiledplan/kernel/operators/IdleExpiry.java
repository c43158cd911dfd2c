package org.compiledplan.kernel.operators;

import java.util.Arrays;
import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Forgets the keys of an operator that have been idle for the TTL, in processing time. Flink does so for OVER windows
 * and temporal joins with a timer that fires between the TTL and half as much again; here a key is gone exactly at the
 * TTL.
 *
 * <p>State: a mark, the time of the last change, when the operator's own timer is due, the operator's bytes. State
 * without the mark is of an operator that did not expire yet; it counts as changed when it is first read.
 */
final class IdleExpiry implements Operator {
  /** No operator's bytes begin so: they begin with a small version. */
  private static final byte MARK = 0x7F;
  private static final int HEADER = 18;

  private final Idle operator;
  private final long ttl;
  private final boolean eventTime;

  IdleExpiry(Idle operator, OperatorSpec spec) {
    this.operator = operator;
    ttl = spec.ttl(0);
    eventTime = spec.eventTime();
  }

  @Override
  public boolean isOrderInsensitive() {
    return operator.isOrderInsensitive();
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (state.get() == null) return;
    Entry entry = new Entry(state, context);
    if (entry.get() == null) return;
    long now = eventTime ? context.watermark : context.processingTime;
    if (entry.due.isPresent() && entry.due.getAsLong() <= now) operator.onTimer(entry, context, out);
    else entry.keep(entry.lastChange);
  }

  private final class Work implements Session {
    private final Entry entry;
    private final long now;
    private final Session session;

    Work(KeyedState state, BatchContext context) {
      entry = new Entry(state, context);
      now = context.processingTime;
      session = operator.open(entry, context);
    }

    @Override
    public void process(InputRow row, Out out) {
      session.process(row, out);
    }

    @Override
    public void close(Out out) {
      session.close(out);
      if (ttl > 0 && !entry.written && operator.staysAliveByAnyRow() && entry.get() != null) entry.keep(now);
    }
  }

  /** The operator's view of the state. */
  private final class Entry implements KeyedState {
    private final KeyedState state;
    private final BatchContext context;
    private boolean loaded;
    private boolean written;
    private byte[] bytes;
    private long lastChange;
    private OptionalLong due = OptionalLong.empty();

    Entry(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    @Override
    public byte[] get() {
      if (loaded) return bytes;
      loaded = true;
      byte[] stored = state.get();
      if (stored == null) return null;
      if (stored[0] != MARK) {
        bytes = stored;
        lastChange = context.processingTime;
        due = OptionalLong.of(Long.MIN_VALUE);
        return bytes;
      }
      ByteReader in = new ByteReader(stored, 1, HEADER - 1);
      lastChange = in.readFixedLong();
      boolean isDue = in.readByte() != 0;
      long time = in.readFixedLong();
      due = isDue ? OptionalLong.of(time) : OptionalLong.empty();
      bytes = Arrays.copyOfRange(stored, HEADER, stored.length);
      if (Ttl.isExpired(lastChange, ttl, context.processingTime) && !operator.waits(bytes)) {
        state.remove(-operator.entries(bytes));
        bytes = null;
      }
      return bytes;
    }

    @Override
    public void put(byte[] next, OptionalLong nextExpiry, int entriesDelta) {
      get();
      bytes = next;
      due = nextExpiry;
      lastChange = context.processingTime;
      written = true;
      store(entriesDelta);
    }

    @Override
    public void remove(int entriesDelta) {
      get();
      bytes = null;
      written = true;
      state.remove(entriesDelta);
    }

    /** Stores the same bytes, with a time of the last change. */
    void keep(long time) {
      lastChange = time;
      store(0);
    }

    private void store(int entriesDelta) {
      ByteWriter out = new ByteWriter(HEADER + bytes.length);
      out.writeByte(MARK);
      out.writeFixedLong(lastChange);
      out.writeByte(due.isPresent() ? 1 : 0);
      out.writeFixedLong(due.orElse(0));
      out.writeBytes(bytes, 0, bytes.length);
      state.put(out.toBytes(), Times.earlier(due, nextLook()), entriesDelta);
    }

    /**
     * When to look whether the key has expired. Timers in event time cannot tell: the watermark, which moves about as
     * fast as the clock, says when to look, so that what is idle goes in the end.
     */
    private OptionalLong nextLook() {
      if (ttl <= 0 || operator.waits(bytes)) return OptionalLong.empty();
      if (!eventTime) return Ttl.expiry(lastChange, ttl);
      return context.watermark == Long.MIN_VALUE ? OptionalLong.empty() : Ttl.expiry(context.watermark, ttl);
    }
  }
}
