package org.compiledplan.kernel.operators.join;

import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Session;

/** A join that stores the rows of its inputs in {@link RowStores}. */
abstract class JoinOperator extends KeyedOperator<RowStores> {
  /** Drops expired rows and sets the next timer. */
  @Override
  public final void onTimer(KeyedState state, BatchContext context, Out out) {
    if (!state.isThere()) return;
    RowStores stores = state.read(format);
    int before = stores.start(context);
    stores.findOldest();
    if (stores.isChanged()) format.save(state, stores, context, before);
    else state.reschedule(stores.nextDue(context));
  }

  abstract class JoinWork implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private RowStores stores;
    private int before;

    JoinWork(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    final RowStore store(int input) {
      if (stores == null) {
        stores = state.read(format);
        before = stores.start(context);
      }
      return stores.get(input);
    }

    @Override
    public final void close(Out out) {
      if (stores != null && stores.isChanged()) format.save(state, stores, context, before);
    }
  }
}
