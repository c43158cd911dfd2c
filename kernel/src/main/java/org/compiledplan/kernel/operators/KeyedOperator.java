package org.compiledplan.kernel.operators;

/** An operator whose state of a key is an {@code S}. */
abstract class KeyedOperator<S extends KeyState> implements Operator {
  /** Set by the constructor of the operator, for its states belong to it. */
  StateFormat<S> format;

  @Override
  public final StateFormat<S> stateFormat() {
    return format;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    S kept = state.read(format);
    int before = kept.entries();
    fire(kept, context, out);
    format.save(state, kept, context, before);
  }

  /** Emits what is due, and takes it out of the state. */
  void fire(S kept, BatchContext context, Out out) {}

  /** The work on a key, whose state is written in the end if it has changed. */
  abstract class KeyWork implements Session {
    final KeyedState state;
    final BatchContext context;
    boolean changed;
    private S kept;
    private int before;

    KeyWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    /** The state, read when it is needed first. */
    final S kept() {
      if (kept == null) {
        kept = state.read(format);
        before = state.isThere() ? kept.entries() : 0;
      }
      return kept;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }

    final void save() {
      format.save(state, kept(), context, before);
    }
  }
}
