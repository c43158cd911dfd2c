package org.compiledplan.kernel.operators.base;

import java.util.function.BiFunction;
import java.util.function.Supplier;

/** An operator whose state per key is an {@code S}. */
public abstract class KeyedOperator<S extends KeyState> implements Operator {
  public StateFormat<S> format;
  protected StateAccount account;
  private BiFunction<KeyedState, BatchContext, Session> work;

  /**
   * Sets the state format and the work; the operator's constructor calls it, because both are inner
   * classes of the operator.
   *
   * @param fresh creates the state of a key that has none
   * @param work starts the work on a key
   */
  protected final void define(
      OperatorSpec spec,
      StateKind kind,
      Supplier<S> fresh,
      BiFunction<KeyedState, BatchContext, Session> work) {
    format = new StateFormat<>(spec, kind, fresh);
    account = spec.account();
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
  public final StateAccount account() {
    return account;
  }

  /**
   * Returns true if the operator posts the changes of its entries where it makes them. Otherwise
   * the difference between the numbers before and after counts: sessions only create entries, and
   * timers only release them.
   */
  protected boolean postsEntries() {
    return false;
  }

  private void save(KeyedState to, S current, BatchContext context, int before) {
    if (!postsEntries()) account.createdOrReleased(current.entries() - before);
    format.save(to, current, context, before);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    S current = state.read(format);
    int before = current.entries();
    fire(current, context, out);
    save(state, current, context, before);
  }

  /** Emits due rows and removes them from the state. */
  public void fire(S current, BatchContext context, Out out) {}

  /** The work on a key; {@code close} writes the state if it has changed. */
  public abstract class KeyWork implements Session {
    public final KeyedState state;
    public final BatchContext context;
    public boolean changed;
    private S current;
    private int before;

    public KeyWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    /** The state, decoded on first use. */
    protected final S current() {
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

    protected final void save() {
      KeyedOperator.this.save(state, current(), context, before);
    }
  }
}
