package org.compiledplan.kernel.operators;

import java.util.function.BiFunction;
import java.util.function.Supplier;

/** An operator whose state of a key is an {@code S}. */
abstract class KeyedOperator<S extends KeyState> implements Operator {
  StateFormat<S> format;
  private BiFunction<KeyedState, BatchContext, Session> work;

  /**
   * To be called by the constructor of the operator, to which its states and its work belong.
   *
   * @param fresh makes the state of a key that has none
   * @param work begins the work on a key
   */
  final void define(
      OperatorSpec spec,
      StateKind kind,
      Supplier<S> fresh,
      BiFunction<KeyedState, BatchContext, Session> work) {
    format = new StateFormat<>(spec, kind, fresh);
    this.work = work;
  }

  @Override
  public final Session open(KeyedState state, BatchContext context) {
    return work.apply(state, context);
  }

  @Override
  public final StateFormat<S> stateFormat() {
    return format;
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    S current = state.read(format);
    int before = current.entries();
    fire(current, context, out);
    format.save(state, current, context, before);
  }

  /** Emits what is due, and takes it out of the state. */
  void fire(S current, BatchContext context, Out out) {}

  /** The work on a key, whose state is written in the end if it has changed. */
  abstract class KeyWork implements Session {
    final KeyedState state;
    final BatchContext context;
    boolean changed;
    private S current;
    private int before;

    KeyWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    /** The state, read when it is needed first. */
    final S current() {
      if (current == null) {
        current = state.read(format);
        before = state.isThere() ? current.entries() : 0;
      }
      return current;
    }

    @Override
    public void close(Out out) {
      if (changed) save();
    }

    final void save() {
      format.save(state, current(), context, before);
    }
  }
}
