package org.compiledplan.kernel.operators.join;

import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.state.serialization.Fields;

/** The state of a join for one key: one {@link RowStore} per input. */
final class RowStores implements KeyState {
  private final RowStore[] stores;

  RowStores(RowStore.Layout[] layouts) {
    stores = new RowStore[layouts.length];
    for (int i = 0; i < stores.length; i++) stores[i] = new RowStore(layouts[i]);
  }

  @Override
  public void fields(Fields io) {
    for (int i = 0; i < stores.length; i++) io.part("input" + i, stores[i]);
  }

  @Override
  public boolean isReusable() {
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

  /** Starts the work at the processing time of the context; returns the number of stored rows. */
  int start(BatchContext context) {
    int before = entries();
    for (RowStore store : stores) store.startAt(context.processingTime());
    return before;
  }

  /** Drops expired rows. */
  void findOldest() {
    for (RowStore store : stores) store.findOldest();
  }

  boolean isChanged() {
    boolean changed = false;
    for (RowStore store : stores) changed |= store.isChanged();
    return changed;
  }
}
