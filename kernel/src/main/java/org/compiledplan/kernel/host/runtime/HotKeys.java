package org.compiledplan.kernel.host.runtime;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.util.AccumulatorV2;

/**
 * Rows of the busiest keys of an operator since {@link #take}. A task remembers {@value #MOST}
 * keys: the counts are exact within a micro-batch, since Spark processes a key once in it; over
 * several calls per key they are lower bounds.
 */
final class HotKeys extends AccumulatorV2<Map.Entry<String, Long>, Map<String, Long>> {
  private static final int MOST = 16;
  private static final int LENGTH = 200;

  private final HashMap<String, Long> rows = new HashMap<>();
  private long total;

  /** A lower bound of the counts in {@link #rows}; only larger counts can replace one. */
  private long least;

  @Override
  public synchronized boolean isZero() {
    return total == 0;
  }

  @Override
  public synchronized HotKeys copy() {
    HotKeys copy = new HotKeys();
    copy.rows.putAll(rows);
    copy.total = total;
    copy.least = least;
    return copy;
  }

  @Override
  public synchronized void reset() {
    rows.clear();
    total = 0;
    least = 0;
  }

  @Override
  public void add(Map.Entry<String, Long> key) {
    add(key.getKey(), key.getValue());
  }

  synchronized void add(String key, long count) {
    total += count;
    put(key, count);
  }

  private void put(String key, long count) {
    String text = key.length() > LENGTH ? key.substring(0, LENGTH) : key;
    if (rows.computeIfPresent(text, (known, before) -> before + count) != null) return;
    if (rows.size() < MOST) {
      rows.put(text, count);
    } else if (count > least) {
      String rarest = null;
      for (Map.Entry<String, Long> entry : rows.entrySet())
        if (rarest == null || entry.getValue() < rows.get(rarest)) rarest = entry.getKey();
      least = rows.get(rarest);
      if (count <= least) return;
      rows.remove(rarest);
      rows.put(text, count);
    }
  }

  @Override
  public synchronized void merge(AccumulatorV2<Map.Entry<String, Long>, Map<String, Long>> from) {
    HotKeys task = (HotKeys) from;
    total += task.total;
    task.rows.forEach(this::put);
  }

  @Override
  public synchronized Map<String, Long> value() {
    return Map.copyOf(rows);
  }

  /** The counts since the last call, which starts them anew. */
  synchronized HotKeys take() {
    HotKeys taken = copy();
    reset();
    return taken;
  }

  /** The rows of all keys. */
  long total() {
    return total;
  }

  /** Heartbeats serialize the counts while the task goes on. */
  private synchronized void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
  }
}
