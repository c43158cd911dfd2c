package org.compiledplan.kernel.host.shuffle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageKeys;

/**
 * Packed rows of a task, grouped by key: few keys in the order of their first rows, many keys
 * ordered by {@link KeyOrder}; rows of a key in their own order. A returned row is valid until the
 * next call.
 */
final class GatheredRows implements Iterator<InternalRow> {
  private static final int FIRST_PAGE = 1 << 14;

  /** With its header less than half of G1's smallest region: larger arrays take whole regions. */
  private static final int LAST_PAGE = (1 << 19) - 64;

  private static final int FIRST_ROWS = 1 << 8;
  private static final int NONE = -1;

  /** Memory per row in bytes for its place, without the row itself, and for its key. */
  private static final int PLACE_BYTES = 20;

  private static final int KEY_BYTES = 20 + KeyOrder.BYTES_PER_KEY;

  private static final class Keys {
    private final UTF8String op;
    private final KeyNumbers numbers = new KeyNumbers();
    private int[] first = new int[FIRST_ROWS];
    private int[] last = new int[FIRST_ROWS];

    Keys(UTF8String op) {
      this.op = op;
    }

    /** First row per key, in output order of the keys. */
    int[] firsts() {
      if (numbers.size() < KeyOrder.FROM) return first;
      int[] order = KeyOrder.of(numbers);
      for (int i = 0; i < order.length; i++) order[i] = first[order[i]];
      return order;
    }

    /** Appends a row to those of its key; returns the previous row. */
    int append(UTF8String key, int row) {
      int before = numbers.size();
      int number = numbers.of(key);
      if (number == last.length) {
        first = Arrays.copyOf(first, 2 * number);
        last = Arrays.copyOf(last, 2 * number);
      }
      int previous = number == before ? NONE : last[number];
      if (previous == NONE) first[number] = row;
      last[number] = row;
      return previous;
    }
  }

  private final TaskMemory memory;
  private final Set<UTF8String> own;
  private final List<Keys> operators = new ArrayList<>();

  /** Operators whose rows bypass the stage, and the first and last of these rows. */
  private final List<UTF8String> others = new ArrayList<>();

  private int firstBypassed = NONE;
  private int lastBypassed = NONE;

  private final List<byte[]> pages = new ArrayList<>();
  private int filled;
  private int rows;

  /** Per row: its page, its offset and size in the page, and the next row of its key. */
  private int[] page = new int[FIRST_ROWS];

  private int[] offset = new int[FIRST_ROWS];
  private int[] size = new int[FIRST_ROWS];
  private int[] next = new int[FIRST_ROWS];

  private final UnsafeRow view = new UnsafeRow(InternalRows.PACKED + 1);
  private int operator;
  private int[] firsts;
  private int key = NONE;
  private int row = NONE;

  /**
   * @param memory accounts for the memory of the rows
   * @param own operators whose rows are grouped by key; {@link #bypassed} returns the others' rows;
   *     null: all operators
   */
  GatheredRows(TaskMemory memory, Set<UTF8String> own) {
    this.memory = memory;
    this.own = own;
  }

  /**
   * Adds a row.
   *
   * @return true if there is room for another row
   */
  boolean add(UnsafeRow packed) {
    if (rows == size.length) widen();
    int bytes = packed.getSizeInBytes();
    store(packed, bytes);
    Keys keys = of(packed.getUTF8String(StageKeys.OP));
    int previous =
        keys == null ? pass(rows) : keys.append(packed.getUTF8String(StageKeys.KEY), rows);
    if (previous != NONE) next[previous] = rows;
    next[rows++] = NONE;
    return memory.grow(bytes + PLACE_BYTES + KEY_BYTES);
  }

  /** Appends a row to the bypassing ones; returns the previous row. */
  private int pass(int row) {
    int previous = lastBypassed;
    if (previous == NONE) firstBypassed = row;
    lastBypassed = row;
    return previous;
  }

  /** Bypassing rows in order of arrival; a returned row is valid until the next call. */
  Iterator<UnsafeRow> bypassed() {
    UnsafeRow passed = new UnsafeRow(InternalRows.PACKED + 1);
    return new Iterator<UnsafeRow>() {
      private int row = firstBypassed;

      @Override
      public boolean hasNext() {
        return row != NONE;
      }

      @Override
      public UnsafeRow next() {
        if (!hasNext()) throw new NoSuchElementException();
        point(passed, row);
        row = next[row];
        return passed;
      }
    };
  }

  /**
   * All rows in order of arrival, in place of those by key. The memory of keys is released at once,
   * and that of rows as they are read; a returned row is valid until the next call.
   */
  Iterator<UnsafeRow> drained() {
    operators.clear();
    others.clear();
    next = null;
    memory.shrink((long) rows * KEY_BYTES);
    UnsafeRow drained = new UnsafeRow(InternalRows.PACKED + 1);
    return new Iterator<UnsafeRow>() {
      private int row;

      @Override
      public boolean hasNext() {
        return row < rows;
      }

      @Override
      public UnsafeRow next() {
        if (!hasNext()) throw new NoSuchElementException();
        if (row > 0 && page[row] != page[row - 1]) {
          memory.shrink(pages.set(page[row - 1], null).length);
        }
        point(drained, row++);
        return drained;
      }
    };
  }

  private void point(UnsafeRow to, int row) {
    to.pointTo(pages.get(page[row]), Platform.BYTE_ARRAY_OFFSET + offset[row], size[row]);
  }

  private void store(UnsafeRow packed, int bytes) {
    byte[] to = pages.isEmpty() ? null : pages.get(pages.size() - 1);
    if (to == null || filled + bytes > to.length) {
      int length = to == null ? FIRST_PAGE : Math.min(2 * to.length, LAST_PAGE);
      to = new byte[Math.max(length, bytes)];
      pages.add(to);
      filled = 0;
    }
    packed.writeToMemory(to, Platform.BYTE_ARRAY_OFFSET + filled);
    page[rows] = pages.size() - 1;
    offset[rows] = filled;
    size[rows] = bytes;
    filled += bytes;
  }

  private void widen() {
    page = Arrays.copyOf(page, 2 * rows);
    offset = Arrays.copyOf(offset, 2 * rows);
    size = Arrays.copyOf(size, 2 * rows);
    next = Arrays.copyOf(next, 2 * rows);
  }

  /** The keys of an operator, null if its rows bypass the stage; a stage has few operators. */
  private Keys of(UTF8String op) {
    for (Keys keys : operators) if (keys.op.equals(op)) return keys;
    for (UTF8String passed : others) if (passed.equals(op)) return null;
    if (own != null && !own.contains(op)) {
      others.add(op.copy());
      return null;
    }
    Keys newKeys = new Keys(op.copy());
    operators.add(newKeys);
    return newKeys;
  }

  @Override
  public boolean hasNext() {
    while (row == NONE && operator < operators.size()) {
      Keys keys = operators.get(operator);
      if (firsts == null) firsts = keys.firsts();
      if (++key < keys.numbers.size()) {
        row = firsts[key];
      } else {
        operator++;
        firsts = null;
        key = NONE;
      }
    }
    return row != NONE;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    point(view, row);
    row = next[row];
    return view;
  }
}
