package org.compiledplan.kernel.host.store;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.operators.base.TimedState;

/**
 * A cache of the decoded state of the keys that a task used last. In real-time mode each row
 * arrives separately: a hot key would be read, decoded, encoded and written for every row, and a
 * join's state grows with its rows. Cached state is written on eviction and at the end of the
 * input.
 */
public final class StateCache<K extends TimedState> {
  /** Approximate memory of a key in bytes, without its state. */
  private static final int BYTES_PER_KEY = 400;

  private record Name(String uid, String key) {}

  private final long maxBytes;
  private final LinkedHashMap<Name, Entry<K>> keys = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;
  private boolean open = true;

  /** The entry used last, whose size may have changed since. */
  private Entry<K> latest;

  private static final class Entry<K> {
    private final K state;
    private long bytes;

    private Entry(K state) {
      this.state = state;
    }
  }

  /**
   * @param maxBytes approximate upper bound of the cached states in bytes; the entry in use may
   *     exceed it
   */
  public StateCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The state of a key; created if it is not cached. */
  K of(String uid, String key, Supplier<K> create) {
    if (latest != null) size(latest);
    latest = keys.computeIfAbsent(new Name(uid, key), name -> new Entry<>(create.get()));
    size(latest);
    if (bytes > maxBytes) evict();
    return latest.state;
  }

  private void size(Entry<K> entry) {
    long size = BYTES_PER_KEY + entry.state.size();
    bytes += size - entry.bytes;
    entry.bytes = size;
  }

  /** Evicts the least recently used entries. */
  private void evict() {
    Iterator<Entry<K>> eldest = keys.values().iterator();
    while (bytes > maxBytes && eldest.hasNext()) {
      Entry<K> entry = eldest.next();
      if (entry == latest) return;
      entry.state.write();
      bytes -= entry.bytes;
      eldest.remove();
    }
  }

  /** Returns true if puts may be written later. */
  boolean isOpen() {
    return open;
  }

  /** Writes all entries; puts are written immediately from now on. */
  public void close() {
    open = false;
    List<Entry<K>> all = new ArrayList<>(keys.values());
    for (Entry<K> entry : all) entry.state.write();
  }
}
