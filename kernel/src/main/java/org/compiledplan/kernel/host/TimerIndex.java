package org.compiledplan.kernel.host;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * When which keys are due, in lists of many keys with one timer each.
 *
 * <p>A timer for each key costs Spark two writes and three reads of the state store, more than the
 * rest of a join: 1,000,000 new keys took 36 s with one timer each and 16 s without. So the keys of
 * an operator that are due at the same time are written as lists, under keys of their own in the
 * state of the same task, and a list has one timer. What is collected in a batch is written at its
 * end, or is due at once: a timer that is set for now fires when the batch's rows are through.
 *
 * <p>Times are those by which Spark's timers of the stage fire: processing time, or the watermark.
 * Subclasses may have lists woken in another way.
 */
class TimerIndex {
  /** The {@code op} of this index's own keys in the state store; no operator has it. */
  static final String OP = "\u0000cleanup";

  static final String END_OF_BATCH = "end of batch";
  private static final int LIST_SIZE = 10_000;

  /** How many lists are collected at most; then they are written, short as they may be. */
  private static final int MOST_LISTS = 20_000;

  /** A key of an operator that was to be looked at at a time. */
  record Due(String uid, String key, long time) {}

  /** An operator and a time: the keys of one list. */
  private record Slot(String uid, long due) {}

  private static final class Keys {
    private final ByteWriter bytes = new ByteWriter();
    private int count;
  }

  private final String op;
  private final StatefulProcessorHandle handle;
  private final ValueState<byte[]> state;
  private final Map<Slot, Keys> collected = new HashMap<>();
  private boolean endOfBatchIsSet;
  private int most = MOST_LISTS;
  private int lists;
  private long batch = Long.MIN_VALUE;

  TimerIndex(StatefulProcessorHandle handle, ValueState<byte[]> state) {
    this(OP, handle, state);
  }

  TimerIndex(String op, StatefulProcessorHandle handle, ValueState<byte[]> state) {
    this.op = op;
    this.handle = handle;
    this.state = state;
  }

  /** Whether a timer's key is one of an index of this name. */
  final boolean owns(Row key) {
    return op.equals(StageKeys.op(key));
  }

  /**
   * Notes that the key is to be looked at when {@code due} has come.
   *
   * @param now the time up to which timers fire in this batch
   * @param end a time that has come for Spark, so that its timer fires at the end of the batch
   * @param batchTime processing time of the batch, which names its lists
   */
  void add(String uid, String key, long due, long now, long end, long batchTime) {
    batch = batchTime;
    Slot slot = new Slot(uid, due);
    Keys keys = collected.computeIfAbsent(slot, s -> new Keys());
    byte[] text = key.getBytes(StandardCharsets.UTF_8);
    keys.bytes.writeVarLong(text.length);
    keys.bytes.writeBytes(text, 0, text.length);
    keys.count++;
    if (keys.count >= LIST_SIZE && due > now) {
      write(slot, keys);
      collected.remove(slot);
    } else if (!endOfBatchIsSet) {
      endOfBatchIsSet = true;
      wake(END_OF_BATCH, end);
    }
    if (collected.size() > most) {
      writeLater(now);
      most = Math.max(MOST_LISTS, 2 * collected.size());
    }
  }

  private void writeLater(long now) {
    collected
        .entrySet()
        .removeIf(
            entry -> {
              if (entry.getKey().due <= now) return false;
              write(entry.getKey(), entry.getValue());
              return true;
            });
  }

  /** Sees to it that the index is called for a name of its own when the time has come. */
  void wake(String name, long time) {
    StageKeys.within(StageKeys.of(op, name), () -> handle.registerTimer(time));
  }

  private void write(Slot slot, Keys keys) {
    ByteWriter list = new ByteWriter(keys.bytes.size() + 64);
    byte[] uid = slot.uid.getBytes(StandardCharsets.UTF_8);
    list.writeFixedLong(slot.due);
    list.writeVarLong(uid.length);
    list.writeBytes(uid, 0, uid.length);
    list.writeBytes(keys.bytes.array(), 0, keys.bytes.size());
    String name = slot.due + " " + batch + " " + lists++;
    put(name, list.toBytes());
    wake(name, slot.due);
  }

  final void put(String name, byte[] bytes) {
    StageKeys.within(StageKeys.of(op, name), () -> state.update(bytes));
  }

  /** What was put under a name, null if there is nothing. */
  final byte[] read(String name) {
    byte[][] result = new byte[1][];
    StageKeys.within(StageKeys.of(op, name), () -> result[0] = state.get());
    return result[0];
  }

  /** What was put under a name, which is removed; null if there is nothing. */
  final byte[] take(String name) {
    byte[][] taken = new byte[1][];
    StageKeys.within(
        StageKeys.of(op, name),
        () -> {
          taken[0] = state.get();
          if (taken[0] != null) state.clear();
        });
    return taken[0];
  }

  /**
   * Handles a timer of this index.
   *
   * @return the keys that are due; what their handling adds is written, or is due, when they are
   *     through
   */
  Iterator<Due> onTimer(Row key, long now) {
    if (StageKeys.key(key).equals(END_OF_BATCH)) return withMore(Collections.emptyIterator(), now);
    byte[] list = take(StageKeys.key(key));
    if (list == null) return Collections.emptyIterator();
    // Too late for the timer at the end of the batch, unless it was set while rows came.
    boolean last = !endOfBatchIsSet;
    endOfBatchIsSet = true;
    return new DueKeys(keys(list), now, last);
  }

  /** These keys, then those that became due meanwhile, until nothing is left to be written. */
  final Iterator<Due> withMore(Iterator<Due> keys, long now) {
    return new DueKeys(keys, now, true);
  }

  static Iterator<Due> keys(byte[] list) {
    ByteReader in = new ByteReader(list);
    long due = in.readFixedLong();
    String uid = text(in);
    return new Iterator<Due>() {
      @Override
      public boolean hasNext() {
        return in.hasMore();
      }

      @Override
      public Due next() {
        return new Due(uid, text(in), due);
      }
    };
  }

  /**
   * Writes what was collected, but for the keys that are due by now, which it returns, earliest
   * first.
   */
  private Iterator<Due> settle(long now) {
    writeLater(now);
    TreeMap<Long, ArrayDeque<Due>> due = new TreeMap<>();
    collected.forEach(
        (slot, keys) -> {
          ByteReader in = new ByteReader(keys.bytes.toBytes());
          ArrayDeque<Due> at = due.computeIfAbsent(slot.due, d -> new ArrayDeque<>());
          while (in.hasMore()) at.add(new Due(slot.uid, text(in), slot.due));
        });
    collected.clear();
    most = MOST_LISTS;
    return due.values().stream().flatMap(ArrayDeque::stream).iterator();
  }

  private static String text(ByteReader in) {
    return new String(in.readBytes(in.readVarInt()), StandardCharsets.UTF_8);
  }

  /** Keys that are due, and if {@code last} then those that become due meanwhile. */
  private final class DueKeys implements Iterator<Due> {
    private final long now;
    private final boolean last;
    private Iterator<Due> keys;

    DueKeys(Iterator<Due> keys, long now, boolean last) {
      this.keys = keys;
      this.now = now;
      this.last = last;
    }

    @Override
    public boolean hasNext() {
      while (!keys.hasNext()) {
        if (!last) return false;
        if (collected.isEmpty()) {
          endOfBatchIsSet = false;
          return false;
        }
        keys = settle(now);
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
