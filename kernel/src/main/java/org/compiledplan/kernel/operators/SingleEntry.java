package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.state.Fields;

/** State that expires as a whole: the time of the last write, then the fields of the operator. */
abstract class SingleEntry implements KeyState {
  private final long ttl;
  private long lastWrite;

  SingleEntry(long ttl) {
    this.ttl = ttl;
  }

  @Override
  public final void fields(Fields io) {
    lastWrite = io.time("lastWrite", lastWrite);
    content(io);
  }

  /** The operator's fields. */
  abstract void content(Fields io);

  @Override
  public OptionalLong nextDue(BatchContext context) {
    return Ttl.expiry(lastWrite, ttl);
  }

  @Override
  public boolean isExpired(BatchContext context) {
    return isExpired(context.processingTime());
  }

  @Override
  public int entries() {
    return 1;
  }

  @Override
  public void entryTimes(EntryTimes to) {
    to.entry(0, lastWrite, EntryTimes.NONE);
  }

  /** What is kept for the key; null if nothing is, or if it has expired. */
  static <S extends SingleEntry> S live(StateFormat<S> format, KeyedState state, long now) {
    if (!state.isThere()) return null;
    S entry = state.read(format);
    return entry.isExpired(now) ? null : entry;
  }

  final boolean isExpired(long now) {
    return Ttl.isExpired(lastWrite, ttl, now);
  }

  /** Keeps the entry, as written now. */
  static <S extends SingleEntry> void put(
      StateFormat<S> format, KeyedState state, S entry, BatchContext context, boolean isNew) {
    ((SingleEntry) entry).lastWrite = context.processingTime();
    state.put(format, entry, entry.nextDue(context), isNew ? 1 : 0);
  }

  /** Removes the entry if it has expired, else asks for another timer. */
  static <S extends SingleEntry> void onTimer(
      StateFormat<S> format, KeyedState state, BatchContext context) {
    if (!state.isThere()) return;
    S entry = live(format, state, context.processingTime());
    if (entry == null) state.remove(-1);
    else state.again(entry.nextDue(context));
  }
}
