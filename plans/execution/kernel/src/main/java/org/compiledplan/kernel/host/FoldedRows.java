package org.compiledplan.kernel.host;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.operators.InputRow;
import org.compiledplan.kernel.operators.Operator;
import org.compiledplan.kernel.operators.Partial;
import org.compiledplan.kernel.operators.RowKinds;

/**
 * The packed rows of a partition, where one stands for all that can be taken together. What it
 * holds is bounded by numbers of keys and rows; where few rows share a key it gives up.
 */
final class FoldedRows implements Iterator<Object> {
  private static final int MOST_KEYS = 50_000;
  private static final int MOST_ROWS = 100_000;

  /** After so many rows it is looked at whether rows share keys. */
  private static final int TRIED_ROWS = 8_192;

  /** Rows a key that make it worth while. */
  private static final int WORTH_ROWS = 2;

  /** Columns of packed rows. */
  private static final int KEY = 0;

  private static final int OP = 1;
  private static final int ROW = 2;

  /** An operator whose rows are folded. */
  static final class Folded {
    private final Operator operator;
    private final int column;
    private final SparkTypes.Reader[] readers;
    private final Map<UTF8String, Group> groups = new LinkedHashMap<>();

    /**
     * @param column where its input is in a row
     */
    Folded(Operator operator, int column, SparkTypes.Reader[] readers) {
      this.operator = operator;
      this.column = column;
      this.readers = readers;
    }

    private InputRow input(InternalRow row, Long watermark) {
      return new InputRow(
          0,
          RowKinds.INSERT,
          SparkTypes.values(row.getStruct(column, readers.length), readers),
          // The least of all says that a row is never late, which one that says nothing may be.
          watermark == null ? Long.MIN_VALUE : Math.max(watermark, Long.MIN_VALUE + 1));
    }
  }

  /** The rows of a key. */
  private final class Group {
    private final UTF8String key;
    private final UTF8String op;

    /** The first row, which stands for all. */
    private final InternalRow row;

    private long ord;
    private byte[] path;
    private Long watermark;

    /** Null where there is one row only. */
    private Partial partial;

    Group(UTF8String key, UTF8String op, InternalRow row) {
      this.key = key;
      this.op = op;
      this.row = row;
      ord = row.getLong(spec.head[StageSpec.ORD]);
      remember(row);
    }

    void add(Folded to, InternalRow next) {
      if (partial == null) {
        partial = to.operator.partial();
        partial.add(to.input(row, watermark(row)));
      }
      partial.add(to.input(next, watermark(next)));
      if (next.getLong(spec.head[StageSpec.ORD]) < ord) return;
      ord = next.getLong(spec.head[StageSpec.ORD]);
      remember(next);
    }

    private void remember(InternalRow last) {
      int at = spec.head[StageSpec.PATH];
      path = last.isNullAt(at) ? null : last.getBinary(at);
      watermark = watermark(last);
    }

    private Long watermark(InternalRow of) {
      if (!spec.hasWatermark()) return null;
      int at = spec.head[StageSpec.WATERMARK];
      return of.isNullAt(at) ? null : (Long) of.getLong(at);
    }

    /** The packed row. */
    InternalRow made() {
      return new GenericInternalRow(new Object[] {key, op, partial == null ? row : folded()});
    }

    private InternalRow folded() {
      int width = spec.inputSchema.length();
      Object[] values = new Object[width + 1];
      for (int i = 0; i < width; i++) {
        values[i] = row.get(i, spec.inputSchema.apply(i).dataType());
      }
      values[spec.head[StageSpec.ORD]] = ord;
      values[spec.head[StageSpec.PATH]] = path;
      if (spec.hasWatermark()) values[spec.head[StageSpec.WATERMARK]] = watermark;
      values[width] = partial.toBytes();
      return new GenericInternalRow(values);
    }
  }

  private final StageSpec spec;
  private final Map<UTF8String, Folded> operators;
  private final Iterator<InternalRow> rows;
  private final Interruption interruption = new Interruption();
  private final ArrayDeque<Group> ready = new ArrayDeque<>();
  private InternalRow next;
  private boolean foldsOn = true;
  private long read;
  private int held;
  private int keys;
  private long made;

  FoldedRows(StageSpec spec, Map<UTF8String, Folded> operators, Iterator<InternalRow> rows) {
    this.spec = spec;
    this.operators = operators;
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    while (next == null) {
      if (!ready.isEmpty()) {
        next = ready.poll().made();
      } else if (keys > 0 && (!rows.hasNext() || isFull())) {
        flush();
      } else if (!rows.hasNext()) {
        return false;
      } else {
        next = taken(rows.next());
      }
    }
    return true;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    InternalRow given = next;
    next = null;
    return given;
  }

  /** Takes a row in, or gives it back if it stays alone. */
  private InternalRow taken(InternalRow packed) {
    interruption.check();
    InternalRow row = packed.getStruct(ROW, spec.inputSchema.length() + 1);
    Folded to = foldsOn ? operators.get(packed.getUTF8String(OP)) : null;
    if (to == null || !RowKinds.isAdd(row.getByte(spec.head[StageSpec.KIND]))) return packed;
    if (row.isNullAt(to.column)) return packed;
    read++;
    held++;
    Group group = to.groups.get(packed.getUTF8String(KEY));
    if (group == null) {
      UTF8String key = packed.getUTF8String(KEY).copy();
      to.groups.put(key, new Group(key, packed.getUTF8String(OP).copy(), row.copy()));
      keys++;
    } else {
      group.add(to, row);
    }
    return null;
  }

  private boolean isFull() {
    if (read == TRIED_ROWS && (made + keys) * WORTH_ROWS > read) foldsOn = false;
    return !foldsOn || keys >= MOST_KEYS || held >= MOST_ROWS;
  }

  private void flush() {
    made += keys;
    held = 0;
    keys = 0;
    for (Folded to : operators.values()) {
      ready.addAll(to.groups.values());
      to.groups.clear();
    }
  }
}
