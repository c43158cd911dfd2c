package org.compiledplan.kernel.host;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.compiledplan.kernel.operators.TimedState;

/**
 * The states of the keys that a task has met last, as operators work with them. In real-time mode
 * each row comes by itself: a key that is hot would be read, decoded, encoded and written with each
 * of its rows, and a join's state grows with them. What is here is written when it is pushed out,
 * and when the input has ended.
 */
final class KeptKeys<K extends TimedState> {
  /** About what a key takes beside its state. */
  private static final int BYTES_A_KEY = 400;

  private record Name(String uid, String key) {}

  private final long most;
  private final LinkedHashMap<Name, Kept<K>> keys = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;
  private boolean open = true;

  /** The one that was used last, whose size may have changed since. */
  private Kept<K> latest;

  private static final class Kept<K> {
    private final K state;
    private long bytes;

    private Kept(K state) {
      this.state = state;
    }
  }

  /**
   * @param most bytes that the states take at most, about; the one in use may be larger
   */
  KeptKeys(long most) {
    this.most = most;
  }

  /** The state of a key; made if it is not here. */
  K of(String uid, String key, Supplier<K> create) {
    if (latest != null) size(latest);
    latest = keys.computeIfAbsent(new Name(uid, key), name -> new Kept<>(create.get()));
    size(latest);
    if (bytes > most) pushOut();
    return latest.state;
  }

  private void size(Kept<K> entry) {
    long size = BYTES_A_KEY + entry.state.size();
    bytes += size - entry.bytes;
    entry.bytes = size;
  }

  /** Lets go of what was used longest ago. */
  private void pushOut() {
    Iterator<Kept<K>> eldest = keys.values().iterator();
    while (bytes > most && eldest.hasNext()) {
      Kept<K> entry = eldest.next();
      if (entry == latest) return;
      entry.state.write();
      bytes -= entry.bytes;
      eldest.remove();
    }
  }

  /** Whether what is put may wait to be written. */
  boolean isOpen() {
    return open;
  }

  /** Writes all; from now on what is put is written at once. */
  void close() {
    open = false;
    List<Kept<K>> all = new ArrayList<>(keys.values());
    for (Kept<K> entry : all) entry.state.write();
  }
}
