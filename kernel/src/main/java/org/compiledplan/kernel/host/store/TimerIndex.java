package org.compiledplan.kernel.host.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * An index of keys by due time, as lists of many keys with one timer each.
 *
 * <p>A timer per key costs Spark two writes and three reads of the state store, more than the rest
 * of a join: 1,000,000 new keys took 36 s with one timer each and 16 s without. So the keys of an
 * operator that are due at the same time are written as lists, under separate keys in the same
 * task's state, and a list has one timer. Keys collected during a batch are written at its end, or
 * are due at once: a timer set for now fires after the batch's rows.
 *
 * <p>Times are in the time domain of the stage's Spark timers: processing time, or the watermark.
 * Subclasses may trigger lists differently.
 */
public class TimerIndex {
  /**
   * The {@code op} of this index's own keys in the state store, distinct from all operators' uids.
   */
  static final String OP = "\u0000cleanup";

  static final String END_OF_BATCH = "end of batch";
  private static final int LIST_SIZE = 10_000;

  /** Maximum number of lists collected; at this number they are written, however short. */
  private static final int MOST_LISTS = 20_000;

  /** A key of an operator and its due time. */
  public record Due(String uid, String key, long time) {}

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
  private int maxLists = MOST_LISTS;
  private int lists;

  /**
   * A part of the names of this task's lists, which must not replace those of an earlier
   * micro-batch: its number is unknown here, and its time may be the same.
   */
  private final String task =
      Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);

  TimerIndex(StatefulProcessorHandle handle, ValueState<byte[]> state) {
    this(OP, handle, state);
  }

  TimerIndex(String op, StatefulProcessorHandle handle, ValueState<byte[]> state) {
    this.op = op;
    this.handle = handle;
    this.state = state;
  }

  /** Returns true if a timer's key belongs to an index of this name. */
  public final boolean owns(Row key) {
    return op.equals(StageKeys.op(key));
  }

  /**
   * Schedules a key for the time {@code due}.
   *
   * @param now time in ms up to which timers fire in this batch
   * @param end a time in the past for Spark, so that its timer fires at the end of the batch
   */
  void add(String uid, String key, long due, long now, long end) {
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
    if (collected.size() > maxLists) {
      writeLater(now);
      maxLists = Math.max(MOST_LISTS, 2 * collected.size());
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

  /** Schedules a call of the index for one of its own names. */
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
    String name = slot.due + " " + task + " " + lists++;
    put(name, list.toBytes());
    wake(name, slot.due);
  }

  final void put(String name, byte[] bytes) {
    StageKeys.within(StageKeys.of(op, name), () -> state.update(bytes));
  }

  /** The bytes stored under a name, null if there are none. */
  final byte[] read(String name) {
    byte[][] result = new byte[1][];
    StageKeys.within(StageKeys.of(op, name), () -> result[0] = state.get());
    return result[0];
  }

  /** Removes and returns the bytes stored under a name; null if there are none. */
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
   * @return the due keys; keys added while they are handled are written, or are due, afterwards
   */
  public Iterator<Due> onTimer(Row key, long now) {
    if (StageKeys.key(key).equals(END_OF_BATCH)) return withMore(Collections.emptyIterator(), now);
    byte[] list = take(StageKeys.key(key));
    if (list == null) return Collections.emptyIterator();
    // Too late for the timer at the end of the batch, unless it was set by a row.
    boolean last = !endOfBatchIsSet;
    endOfBatchIsSet = true;
    return new DueKeys(keys(list), now, last);
  }

  /** The due keys, then keys that became due meanwhile, until nothing remains to be written. */
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
   * Writes the collected keys, except those due at {@code now}, which it returns, earliest first.
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
    maxLists = MOST_LISTS;
    return due.values().stream().flatMap(ArrayDeque::stream).iterator();
  }

  private static String text(ByteReader in) {
    return new String(in.readBytes(in.readVarInt()), StandardCharsets.UTF_8);
  }

  /** Due keys, and if {@code last} then those that become due meanwhile. */
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
