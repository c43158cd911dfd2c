package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/** The state of a join for one key: one {@link RowStore} for each input. */
final class RowStores {
  private static final int VERSION = 1;

  private final RowStore[] stores;
  private final boolean stored;
  private final KeyedState state;

  RowStores(RowStore.Layout[] layouts, KeyedState state, long now) {
    this.state = state;
    byte[] bytes = state.get();
    stored = bytes != null;
    stores = new RowStore[layouts.length];
    if (!stored) {
      for (int i = 0; i < stores.length; i++) stores[i] = new RowStore(layouts[i], now, new byte[0], 0, 0);
      return;
    }
    ByteReader in = new ByteReader(bytes);
    int version = in.readByte();
    if (version != VERSION) throw new IllegalStateException("unknown state version " + version);
    for (int i = 0; i < stores.length; i++) {
      int length = in.readVarInt();
      stores[i] = new RowStore(layouts[i], now, bytes, in.position(), length);
      in.skip(length);
    }
  }

  RowStore get(int input) {
    return stores[input];
  }

  /** Writes the state if it has changed; removes it if no row is left. */
  void save() {
    boolean changed = false;
    int count = 0;
    int before = 0;
    OptionalLong expiry = OptionalLong.empty();
    for (RowStore store : stores) {
      changed |= store.isChanged();
      count += store.count();
      before += store.storedCount();
    }
    if (!changed) return;
    if (count == 0) {
      if (stored) state.remove(-before);
      return;
    }
    ByteWriter all = new ByteWriter(256);
    ByteWriter one = new ByteWriter(256);
    all.writeByte(VERSION);
    for (RowStore store : stores) {
      one.clear();
      if (store.count() > 0) store.write(one);
      all.writeSized(one);
      expiry = Times.earlier(expiry, store.nextExpiry());
    }
    state.put(all.toBytes(), expiry, count - before);
  }

  /** Drops the rows that have expired and asks for the next timer. */
  static void onTimer(RowStore.Layout[] layouts, KeyedState state, long now) {
    if (state.get() == null) return;
    RowStores stores = new RowStores(layouts, state, now);
    for (RowStore store : stores.stores) store.rows();
    boolean changed = false;
    OptionalLong expiry = OptionalLong.empty();
    for (RowStore store : stores.stores) {
      changed |= store.isChanged();
      expiry = Times.earlier(expiry, store.firstExpiry());
    }
    if (changed) stores.save();
    else state.put(state.get(), expiry, 0);
  }
}
