package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.state.Fields;

/** The state of a join for one key: one {@link RowStore} for each input. */
final class RowStores implements KeyState {
  private final RowStore[] stores;

  /** How many rows were there. */
  private int before;

  RowStores(RowStore.Layout[] layouts) {
    stores = new RowStore[layouts.length];
    for (int i = 0; i < stores.length; i++) stores[i] = new RowStore(layouts[i]);
  }

  @Override
  public void fields(Fields io) {
    for (int i = 0; i < stores.length; i++) io.part("input" + i, stores[i]);
  }

  @Override
  public boolean mayBeGivenAgain() {
    return true;
  }

  RowStore get(int input) {
    return stores[input];
  }

  @Override
  public int entries() {
    int count = 0;
    for (RowStore store : stores) count += store.count();
    return count;
  }

  @Override
  public void entryTimes(EntryTimes to) {
    for (int input = 0; input < stores.length; input++) stores[input].entryTimes(input, to);
  }

  @Override
  public OptionalLong nextDue(BatchContext context) {
    OptionalLong expiry = OptionalLong.empty();
    for (RowStore store : stores) expiry = TimeMath.earlier(expiry, store.nextExpiry());
    return expiry;
  }

  /** The stores of a key, with which rows are added at the time of the context. */
  static RowStores open(StateFormat<RowStores> format, KeyedState state, BatchContext context) {
    RowStores stores = state.read(format);
    stores.before = stores.entries();
    for (RowStore store : stores.stores) store.startAt(context.processingTime());
    return stores;
  }

  /** Writes the state if it has changed; removes it if no row is left. */
  void save(StateFormat<RowStores> format, KeyedState state, BatchContext context) {
    boolean changed = false;
    for (RowStore store : stores) changed |= store.isChanged();
    if (changed) format.save(state, this, context, before);
  }

  /** Drops the rows that have expired and asks for the next timer. */
  static void onTimer(StateFormat<RowStores> format, KeyedState state, BatchContext context) {
    if (!state.isThere()) return;
    RowStores stores = open(format, state, context);
    boolean changed = false;
    for (RowStore store : stores.stores) {
      store.findOldest();
      changed |= store.isChanged();
    }
    if (changed) stores.save(format, state, context);
    else state.again(stores.nextDue(context));
  }
}
