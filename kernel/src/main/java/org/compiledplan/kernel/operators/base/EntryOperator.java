package org.compiledplan.kernel.operators.base;

/** An operator whose state per key is one entry that expires as a whole. */
public abstract class EntryOperator<S extends SingleEntry> extends KeyedOperator<S> {
  /** Removes the entry if it has expired, otherwise sets the next timer. */
  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    S entry = live(state, context);
    if (entry == null) expire(state);
    else state.reschedule(entry.nextDue(context));
  }

  /** Removes an expired entry. */
  protected final void expire(KeyedState state) {
    account.expired(1);
    state.remove(-1);
  }

  /**
   * Returns the entry of the key; null if there is none or it has expired.
   *
   * @param state the key's stored state
   * @param context times against which the TTL is checked
   */
  protected final S live(KeyedState state, BatchContext context) {
    if (!state.isThere()) return null;
    S entry = state.read(format);
    return entry.isExpired(context) ? null : entry;
  }

  /**
   * Stores the entry with the current processing time as its last write.
   *
   * @param isNew whether the key had no entry, for the metrics
   */
  protected final void put(KeyedState state, S entry, BatchContext context, boolean isNew) {
    entry.lastWrite = context.processingTime();
    state.put(format, entry, entry.nextDue(context), isNew ? 1 : 0);
  }

  public abstract class EntryWork implements Session {
    final KeyedState state;
    final BatchContext context;

    /** True if an entry is stored for the key, expired or not. */
    public final boolean stored;

    private final boolean wasLive;

    /** Time of the last write of the entry, in ms. */
    private long written;

    /** The key's entry; null if there is none. */
    public S entry;

    public EntryWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      stored = state.isThere();
      entry = live(state, context);
      wasLive = entry != null;
      written = wasLive ? entry.lastWrite : context.processingTime();
    }

    /** Posts that a row has met the entry, and left it as it is. */
    protected final void used() {
      account.used(0, context.processingTime() - written);
    }

    /** Posts that rows have met the entry, of which each writes it. */
    protected final void renewed(long rows) {
      if (rows == 0) return;
      used();
      written = context.processingTime();
      if (rows > 1) account.used(0, 0, rows - 1);
    }

    /** Stores the entry, or removes the stored one if {@link #entry} is null. */
    protected final void save() {
      if (stored && !wasLive) account.expired(1);
      if (entry != null) {
        if (!wasLive) account.created(1);
        put(state, entry, context, !stored);
      } else if (stored) {
        if (wasLive) account.retracted(1);
        state.remove(-1);
      }
    }
  }
}
