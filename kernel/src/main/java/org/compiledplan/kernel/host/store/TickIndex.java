package org.compiledplan.kernel.host.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * The keys that are due by processing time, in a stage whose timers fire by watermark: Spark has
 * one kind of timer per operator, and watermarks do not pass an operator of the other kind.
 *
 * <p>A timer that is always due, the tick, fires at the end of each batch while there are lists. A
 * catalogue contains the names of the lists and the times at which they are due.
 */
public final class TickIndex extends TimerIndex {
  /**
   * The {@code op} of this index's own keys in the state store, distinct from all operators' uids.
   */
  static final String OP = "\u0000tick";

  private static final String TICK = "tick";
  private static final String CATALOGUE = "catalogue";

  /**
   * A timer cannot be set for the time at which it fires, so ticks alternate; no watermark is
   * before these.
   */
  private static final long[] TICKS = {-1, 0};

  /** Names of lists by due time; null until it is read. */
  private TreeMap<Long, List<String>> catalogue;

  private boolean changed;

  TickIndex(StatefulProcessorHandle handle, ValueState<byte[]> state) {
    super(OP, handle, state);
  }

  @Override
  void wake(String name, long time) {
    // The end of the batch is the next tick.
    if (name.equals(END_OF_BATCH)) {
      super.wake(TICK, TICKS[0]);
      return;
    }
    catalogue().computeIfAbsent(time, t -> new ArrayList<>()).add(name);
    changed = true;
  }

  /** The keys due at {@code now}; afterwards the next tick is set if lists remain. */
  public Iterator<Due> onTick(long tick, long now) {
    Iterator<Due> due = withMore(new Lists(now), now);
    return new Iterator<Due>() {
      private boolean settled;

      @Override
      public boolean hasNext() {
        if (due.hasNext()) return true;
        if (!settled) settle(tick);
        settled = true;
        return false;
      }

      @Override
      public Due next() {
        if (!hasNext()) throw new NoSuchElementException();
        return due.next();
      }
    };
  }

  /** Sets the next tick without any other change. */
  public void reschedule(long tick) {
    super.wake(TICK, alternate(tick));
  }

  private static long alternate(long tick) {
    return tick == TICKS[0] ? TICKS[1] : TICKS[0];
  }

  private void settle(long tick) {
    if (changed) {
      if (catalogue().isEmpty()) take(CATALOGUE);
      else put(CATALOGUE, written());
    }
    if (!catalogue().isEmpty()) super.wake(TICK, alternate(tick));
    changed = false;
    catalogue = null;
  }

  private TreeMap<Long, List<String>> catalogue() {
    if (catalogue == null) {
      catalogue = new TreeMap<>();
      byte[] bytes = read(CATALOGUE);
      if (bytes != null) {
        ByteReader in = new ByteReader(bytes);
        while (in.hasMore()) {
          long due = in.readFixedLong();
          String name = new String(in.readBytes(in.readVarInt()), StandardCharsets.UTF_8);
          catalogue.computeIfAbsent(due, t -> new ArrayList<>()).add(name);
        }
      }
    }
    return catalogue;
  }

  private byte[] written() {
    ByteWriter out = new ByteWriter(256);
    for (Map.Entry<Long, List<String>> entry : catalogue.entrySet()) {
      for (String name : entry.getValue()) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        out.writeFixedLong(entry.getKey());
        out.writeVarLong(text.length);
        out.writeBytes(text, 0, text.length);
      }
    }
    return out.toBytes();
  }

  /** The keys of the due lists, list by list, earliest first; the lists are removed. */
  private final class Lists implements Iterator<Due> {
    private final long now;
    private Iterator<Due> keys = List.<Due>of().iterator();

    Lists(long now) {
      this.now = now;
    }

    @Override
    public boolean hasNext() {
      while (!keys.hasNext()) {
        Map.Entry<Long, List<String>> first = catalogue().firstEntry();
        if (first == null || first.getKey() > now) return false;
        String name = first.getValue().remove(first.getValue().size() - 1);
        if (first.getValue().isEmpty()) catalogue().remove(first.getKey());
        changed = true;
        byte[] list = take(name);
        if (list != null) keys = TimerIndex.keys(list);
      }
      return true;
    }

    @Override
    public Due next() {
      if (!hasNext()) throw new NoSuchElementException();
      return keys.next();
    }
  }
}
