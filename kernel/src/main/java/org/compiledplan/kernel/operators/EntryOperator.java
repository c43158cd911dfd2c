package org.compiledplan.kernel.operators;

/** An operator whose state of a key expires as a whole. */
abstract class EntryOperator<S extends SingleEntry> extends KeyedOperator<S> {
  /** Removes the entry if it has expired, else asks for another timer. */
  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    S entry = live(state, context);
    if (entry == null) state.remove(-1);
    else state.again(entry.nextDue(context));
  }

  /** What is kept for the key; null if nothing is, or if it has expired. */
  final S live(KeyedState state, BatchContext context) {
    if (!state.isThere()) return null;
    S entry = state.read(format);
    return entry.isExpired(context) ? null : entry;
  }

  /** Keeps the entry, as written now. */
  final void put(KeyedState state, S entry, BatchContext context, boolean isNew) {
    entry.lastWrite = context.processingTime();
    state.put(format, entry, entry.nextDue(context), isNew ? 1 : 0);
  }

  abstract class EntryWork implements Session {
    final KeyedState state;
    final BatchContext context;

    /** Whether something is stored for the key, be it expired. */
    final boolean stored;

    /** What is kept for the key; null if nothing is. */
    S entry;

    EntryWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
      stored = state.isThere();
      entry = live(state, context);
    }

    /** Keeps the entry, or removes what is stored if there is none. */
    final void save() {
      if (entry != null) put(state, entry, context, !stored);
      else if (stored) state.remove(-1);
    }
  }
}
