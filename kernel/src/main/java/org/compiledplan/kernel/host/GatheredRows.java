package org.compiledplan.kernel.host;

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

/**
 * Packed rows of a task, those of a key one after the other: few keys in the order in which they
 * first came, many as {@link KeyOrder} tells; rows of a key in theirs. A row that is given is valid
 * until the next one is taken.
 */
final class GatheredRows implements Iterator<InternalRow> {
  private static final int FIRST_PAGE = 1 << 14;
  private static final int LAST_PAGE = 1 << 20;
  private static final int FIRST_ROWS = 1 << 8;
  private static final int NONE = -1;

  /** What is kept of a row beside its bytes. */
  private static final int ROW_BYTES = 40 + KeyOrder.BYTES_A_KEY;

  private static final class Keys {
    private final UTF8String op;
    private final KeyNumbers numbers = new KeyNumbers();
    private int[] first = new int[FIRST_ROWS];
    private int[] last = new int[FIRST_ROWS];

    Keys(UTF8String op) {
      this.op = op;
    }

    /** The first rows of the keys, in the order in which the keys are given. */
    int[] firsts() {
      if (numbers.size() < KeyOrder.FROM) return first;
      int[] order = KeyOrder.of(numbers);
      for (int i = 0; i < order.length; i++) order[i] = first[order[i]];
      return order;
    }

    /** Puts a row behind those of its key; returns the one before it. */
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

  /** Operators whose rows pass, and the first and the last of these rows. */
  private final List<UTF8String> others = new ArrayList<>();

  private int firstPassing = NONE;
  private int lastPassing = NONE;

  private final List<byte[]> pages = new ArrayList<>();
  private int filled;
  private int rows;

  /** Of each row its page, where it is there, its size, and the next row of its key. */
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
   * @param memory is asked for what rows take
   * @param own operators whose rows are given by key, the others being given by {@link #passing};
   *     null for all
   */
  GatheredRows(TaskMemory memory, Set<UTF8String> own) {
    this.memory = memory;
    this.own = own;
  }

  /**
   * Takes a row in.
   *
   * @return whether there is room for another one
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
    return memory.grow(bytes + ROW_BYTES);
  }

  /** Puts a row behind those that pass; returns the one before it. */
  private int pass(int row) {
    int previous = lastPassing;
    if (previous == NONE) firstPassing = row;
    lastPassing = row;
    return previous;
  }

  /** The rows that pass, in the order in which they came; valid as the others are. */
  Iterator<UnsafeRow> passing() {
    UnsafeRow passed = new UnsafeRow(InternalRows.PACKED + 1);
    return new Iterator<UnsafeRow>() {
      private int row = firstPassing;

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

  /** The keys of an operator, null if its rows pass; a stage has few. */
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
