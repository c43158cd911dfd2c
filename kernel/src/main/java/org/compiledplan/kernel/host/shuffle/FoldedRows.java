package org.compiledplan.kernel.host.shuffle;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.spark.Interruption;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.values.RowKinds;

/**
 * The packed rows of a partition, with rows of a key pre-aggregated into one. Its memory is bounded
 * in bytes; if few rows share a key it stops pre-aggregating.
 */
final class FoldedRows implements Iterator<Object> {
  private static final long MOST_BYTES = 128L << 20;

  /** Approximate memory of a key in bytes, without its text and its first row. */
  private static final long KEY_BYTES = 500;

  /** Approximate memory in bytes of a column in a row that is not an UnsafeRow. */
  private static final long FIELD_BYTES = 40;

  /** Number of rows after which the number of keys is estimated. */
  private static final int SAMPLE_ROWS = 8_192;

  /**
   * Iterations after which an estimate of few keys is close enough; an estimate of many starts
   * close.
   */
  private static final int ROUNDS = 8;

  /** Minimum average rows per key for which pre-aggregation pays off. */
  private static final int MIN_ROWS_PER_KEY = 2;

  static final class Folded {
    private final UTF8String op;
    private final Operator operator;
    private final int column;
    private final SparkTypes.Reader[] readers;

    /** Columns read by the aggregates, and a buffer for their values. */
    private final int[] columns;

    private final Object[] values;
    private final KeyNumbers numbers = new KeyNumbers();
    private final List<Group> groups = new ArrayList<>();

    /**
     * @param column position of the operator's input in a row
     */
    Folded(UTF8String op, Operator operator, int column, SparkTypes.Reader[] readers) {
      this.op = op;
      this.operator = operator;
      this.column = column;
      this.readers = readers;
      columns = operator.partial().columns().stream().toArray();
      values = new Object[readers.length];
    }

    /** Valid until the next call. */
    private InputRow input(InternalRow row, long watermark) {
      InternalRow input = row.getStruct(column, readers.length);
      for (int at : columns) values[at] = input.isNullAt(at) ? null : readers[at].read(input, at);
      return new InputRow(0, RowKinds.INSERT, values, watermark);
    }
  }

  private final class Group {
    private final int number;
    private final Folded to;

    /** The first row, which represents the group. */
    private final InternalRow row;

    private long ord;
    private byte[] path;
    private long watermark;

    /** Null while the group has one row. */
    private Partial partial;

    Group(int number, Folded to, InternalRow row) {
      this.number = number;
      this.to = to;
      this.row = row;
      ord = row.getLong(spec.head[StageSpec.ORD]);
      remember(row);
    }

    /** Adds a row; returns the approximate growth in bytes. */
    long add(InternalRow next) {
      long grown = 0;
      if (partial == null) {
        partial = to.operator.partial();
        grown = partial.add(to.input(row, watermark(row)));
      }
      grown += partial.add(to.input(next, watermark(next)));
      if (next.getLong(spec.head[StageSpec.ORD]) >= ord) {
        ord = next.getLong(spec.head[StageSpec.ORD]);
        remember(next);
      }
      return grown;
    }

    private void remember(InternalRow last) {
      int at = spec.head[StageSpec.PATH];
      path = last.isNullAt(at) ? null : last.getBinary(at);
      watermark = watermark(last);
    }

    /** Smallest watermark if the row has none: the row is never late. */
    private long watermark(InternalRow of) {
      if (!spec.hasWatermark()) return Long.MIN_VALUE;
      int at = spec.head[StageSpec.WATERMARK];
      return of.isNullAt(at) ? Long.MIN_VALUE : Math.max(of.getLong(at), Long.MIN_VALUE + 1);
    }

    InternalRow finished() {
      return new GenericInternalRow(
          new Object[] {to.numbers.key(number), to.op, partial == null ? row : folded()});
    }

    private InternalRow folded() {
      int width = spec.inputSchema.length();
      Object[] values = new Object[width + 1];
      for (int i = 0; i < width; i++) values[i] = row.get(i, spec.inputSchema.apply(i).dataType());
      values[spec.head[StageSpec.ORD]] = ord;
      values[spec.head[StageSpec.PATH]] = path;
      if (spec.hasWatermark()) {
        values[spec.head[StageSpec.WATERMARK]] = watermark == Long.MIN_VALUE ? null : watermark;
      }
      values[width] = partial.toBytes();
      return new GenericInternalRow(values);
    }
  }

  private final StageSpec spec;
  private final Map<UTF8String, Folded> operators;
  private final Iterator<InternalRow> rows;
  private final Interruption interruption = new Interruption();
  private final TaskMemory memory = new TaskMemory(MOST_BYTES);

  /** Groups to output; null while rows are being read. */
  private Iterator<Group> ready;

  private InternalRow next;

  /** The previous row's operator. */
  private Folded latest;

  private boolean foldsOn = true;
  private boolean full;
  private long read;
  private long keys;

  FoldedRows(StageSpec spec, Map<UTF8String, Folded> operators, Iterator<InternalRow> rows) {
    this.spec = spec;
    this.operators = operators;
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    while (next == null) {
      if (ready != null) {
        if (ready.hasNext()) next = ready.next().finished();
        else reset();
      } else if (keys > 0 && (full || !rows.hasNext())) {
        finish();
      } else if (!rows.hasNext()) {
        return false;
      } else {
        next = fold(rows.next());
      }
    }
    return true;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    InternalRow row = next;
    next = null;
    return row;
  }

  /** Adds a row; returns it if it is not pre-aggregated. */
  private InternalRow fold(InternalRow packed) {
    interruption.check();
    InternalRow row = packed.getStruct(InternalRows.PACKED, spec.inputSchema.length() + 1);
    Folded to = foldsOn ? of(packed.getUTF8String(StageKeys.OP)) : null;
    if (to == null || !RowKinds.isAdd(row.getByte(spec.head[StageSpec.KIND]))) return packed;
    if (row.isNullAt(to.column)) return packed;
    UTF8String key = packed.getUTF8String(StageKeys.KEY);
    int number = to.numbers.of(key);
    if (number < to.groups.size()) {
      full = !memory.grow(to.groups.get(number).add(row));
    } else {
      InternalRow first = row.copy();
      to.groups.add(new Group(number, to, first));
      keys++;
      full = !memory.grow(KEY_BYTES + key.numBytes() + size(first));
    }
    if (++read == SAMPLE_ROWS && !canHold()) {
      foldsOn = false;
      full = true;
    }
    return null;
  }

  /**
   * The operator of a row, most often the previous row's; null if its rows are not pre-aggregated.
   */
  private Folded of(UTF8String op) {
    if (latest == null || !latest.op.equals(op)) latest = operators.get(op);
    return latest;
  }

  private static long size(InternalRow row) {
    return row instanceof UnsafeRow
        ? ((UnsafeRow) row).getSizeInBytes()
        : row.numFields() * FIELD_BYTES;
  }

  /** Returns true if all keys fit into memory, extrapolated from the first rows. */
  private boolean canHold() {
    return read > keys && allKeys(read, keys) * memory.used() / keys <= MOST_BYTES;
  }

  /**
   * Estimates the total number of equally likely keys from the number of keys in a sample: the
   * number for which {@code all * (1 - exp(-rows / all)) = keys}.
   */
  private static double allKeys(double rows, double keys) {
    double all = rows * rows / (2 * (rows - keys));
    for (int i = 0; i < ROUNDS; i++) all = keys / -Math.expm1(-rows / all);
    return all;
  }

  private void finish() {
    if (full && keys * MIN_ROWS_PER_KEY > read) foldsOn = false;
    ready = operators.values().stream().flatMap(to -> to.groups.stream()).iterator();
  }

  private void reset() {
    for (Folded to : operators.values()) {
      to.numbers.clear();
      to.groups.clear();
    }
    ready = null;
    full = false;
    read = 0;
    keys = 0;
    memory.release();
  }
}
