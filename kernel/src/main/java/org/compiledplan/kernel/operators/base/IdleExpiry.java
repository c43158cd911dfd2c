package org.compiledplan.kernel.operators.base;

import java.util.Arrays;
import java.util.BitSet;
import java.util.OptionalLong;
import org.compiledplan.kernel.state.serialization.ByteFields;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * Expires an operator's keys that have been idle for the TTL, in processing time. Flink does so for
 * OVER windows and temporal joins with a timer that fires between 1 and 1.5 times the TTL; here a
 * key expires exactly at the TTL.
 *
 * <p>State: the time of the last change, the time of the operator's own timer, then the operator's
 * state.
 */
public final class IdleExpiry implements Operator {
  private final Idle operator;
  private final long ttl;
  private final boolean eventTime;
  private final StateFormat<IdleState> format;

  public IdleExpiry(Idle operator, OperatorSpec spec) {
    this.operator = operator;
    ttl = spec.ttl(0);
    eventTime = spec.eventTime();
    StateFormat<?> inner = operator.stateFormat();
    format = new StateFormat<>(spec, inner.kind(), () -> new IdleState(inner.fresh()));
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
    if (!state.isThere()) return;
    Entry entry = new Entry(state, context);
    if (entry.get() == null) return;
    long now = eventTime ? context.watermark() : context.processingTime();
    if (entry.header.due.isPresent() && entry.header.due.getAsLong() <= now)
      operator.onTimer(entry, context, out);
    else entry.touch(entry.header.lastChange);
  }

  @Override
  public StateAccount account() {
    return operator.account();
  }

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  /** State stored before the operator's own. */
  private static final class Header implements Stored {
    private long lastChange;

    private OptionalLong due = OptionalLong.empty();

    @Override
    public void fields(Fields io) {
      lastChange = io.time("lastChange", lastChange);
      due = io.maybeTime("due", due);
    }
  }

  private final class IdleState implements KeyState {
    private final Header header = new Header();
    private final KeyState operators;

    IdleState(KeyState operators) {
      this.operators = operators;
    }

    @Override
    public void fields(Fields io) {
      header.fields(io);
      operators.fields(io);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return TimeMath.earlier(
          operators.nextDue(context), nextLook(header.lastChange, operators.waits(), context));
    }

    @Override
    public boolean isExpired(BatchContext context) {
      return Ttl.isExpired(header.lastChange, ttl, context.processingTime()) && !operators.waits();
    }

    @Override
    public void recount(BitSet calls) {
      operators.recount(calls);
    }

    @Override
    public int entries() {
      return operators.entries();
    }

    /** All entries expire together, but not while rows wait. */
    @Override
    public void entryTimes(EntryTimes to) {
      long written = operators.waits() ? EntryTimes.NONE : header.lastChange;
      operators.entryTimes((input, none, time) -> to.entry(input, written, time));
    }
  }

  /**
   * Time of the next expiry check. Event-time timers cannot fire by processing time: the watermark,
   * which advances about as fast as the clock, triggers the check, so that idle keys expire
   * eventually.
   */
  private OptionalLong nextLook(long lastChange, boolean waits, BatchContext context) {
    if (ttl <= 0 || waits) return OptionalLong.empty();
    if (!eventTime) return Ttl.expiry(lastChange, ttl);
    return context.watermark() == Long.MIN_VALUE
        ? OptionalLong.empty()
        : Ttl.expiry(context.watermark(), ttl);
  }

  private final class Work implements Session {
    private final Entry entry;
    private final long now;
    private final Session session;
    private long rows;

    Work(KeyedState state, BatchContext context) {
      entry = new Entry(state, context);
      now = context.processingTime();
      session = operator.open(entry, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      rows++;
      return session.process(row, out);
    }

    @Override
    public void close(Out out) {
      session.close(out);
      if (rows > 0) entry.postUses(rows);
      if (ttl > 0 && !entry.written && operator.refreshedByEveryRow() && entry.get() != null)
        entry.touch(now);
    }
  }

  /** The operator's view of the state. */
  private final class Entry implements KeyedState {
    private final KeyedState state;
    private final BatchContext context;
    private boolean loaded;
    private boolean written;
    private byte[] bytes;
    private final Header header = new Header();

    /** Time since the last change of the key when it is used; -1 if it could not expire. */
    private long idle = -1;

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
      ByteReader in = new ByteReader(stored, 1, stored.length - 1);
      header.fields(new ByteFields.Reader(in));
      // The operator's state begins with the version, which is the version of the whole state.
      bytes = Arrays.copyOfRange(stored, in.position() - 1, stored.length);
      bytes[0] = stored[0];
      if (Ttl.isExpired(header.lastChange, ttl, context.processingTime())
          && !operator.waits(bytes)) {
        int entries = operator.stateFormat().entries(bytes);
        operator.account().expired(entries);
        state.remove(-entries);
        bytes = null;
      } else if (header.due.isEmpty() || !operator.waits(bytes)) {
        idle = Math.max(0, context.processingTime() - header.lastChange);
      }
      return bytes;
    }

    @Override
    public void put(byte[] next, OptionalLong nextExpiry, int entriesDelta) {
      get();
      bytes = next;
      header.due = nextExpiry;
      header.lastChange = context.processingTime();
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

    /** Posts that rows have used the key, if they have read a state that could have expired. */
    void postUses(long rows) {
      if (idle < 0) return;
      boolean renewed = written || operator.refreshedByEveryRow();
      operator.account().used(0, idle, renewed ? 1 : rows);
      if (renewed && rows > 1) operator.account().used(0, 0, rows - 1);
    }

    /** Rewrites the same bytes with a new time of the last change. */
    void touch(long time) {
      header.lastChange = time;
      store(0);
    }

    private void store(int entriesDelta) {
      ByteWriter out = new ByteWriter(bytes.length + 24);
      out.writeByte(bytes[0]);
      header.fields(new ByteFields.Writer(out));
      out.writeBytes(bytes, 1, bytes.length - 1);
      OptionalLong look = nextLook(header.lastChange, operator.waits(bytes), context);
      state.put(out.toBytes(), TimeMath.earlier(header.due, look), entriesDelta);
    }
  }
}
