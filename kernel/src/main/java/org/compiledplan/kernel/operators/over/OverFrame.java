package org.compiledplan.kernel.operators.over;

import java.util.ArrayDeque;
import java.util.BitSet;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Frames;
import org.compiledplan.kernel.state.serialization.PackedList;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;

/**
 * The rows of a key from the start of an OVER window to the current row: their accumulators, and
 * the rows themselves if they leave the window again.
 */
final class OverFrame implements Stored {
  /** Size of a window. */
  static final class Reach {
    /** True if the size is counted in rows, otherwise in ms. */
    final boolean rows;

    /** Rows before the current one, or ms; -1: unbounded. */
    final long preceding;

    Reach(OperatorSpec spec) {
      rows = spec.flag("rows");
      preceding = spec.number("preceding", -1);
    }

    boolean isBounded() {
      return preceding >= 0;
    }
  }

  private final class Row implements Stored {
    private long time;
    private PackedRow values;

    private Row() {}

    private Row(long time, PackedRow values) {
      this.time = time;
      this.values = values;
    }

    @Override
    public void fields(Fields io) {
      time = io.time("time", time);
      values = io.packedRow("row", columns, values);
    }
  }

  private final Reach reach;
  private final OverCalls calls;
  private final Columns columns;
  private final Frames<Accumulator> accumulators;

  /** The rows of a bounded window, packed until one is read. */
  private final PackedList<Row> packed = new PackedList<>(Row::new);

  /** Null while the rows are packed. */
  private ArrayDeque<Row> rows;

  OverFrame(Reach reach, OverCalls calls, Columns columns) {
    this.reach = reach;
    this.calls = calls;
    this.columns = columns;
    accumulators = new Frames<>(calls.layout());
  }

  @Override
  public void fields(Fields io) {
    io.frames("aggregates", accumulators);
    if (!reach.isBounded()) return;
    if (rows != null) {
      packed.clear();
      for (Row row : rows) packed.add(row);
      rows = null;
    }
    io.packedList("rows", packed);
  }

  private ArrayDeque<Row> rows() {
    if (rows == null) rows = new ArrayDeque<>(packed.all());
    return rows;
  }

  /** Retracts rows that have left a time window ending at {@code time}. */
  void moveTo(long time) {
    if (reach.rows || !reach.isBounded()) return;
    while (!rows().isEmpty() && time - rows().peekFirst().time > reach.preceding) {
      calls.retract(accumulators.parts(), rows().removeFirst().values.row(columns.types()));
    }
  }

  void add(long time, Object[] row) {
    if (reach.isBounded()) {
      if (reach.rows && rows().size() > reach.preceding)
        calls.retract(accumulators.parts(), rows().removeFirst().values.row(columns.types()));
      rows().addLast(new Row(time, PackedRow.of(row)));
    }
    calls.add(accumulators.parts(), row);
  }

  Object[] values() {
    return calls.values(accumulators.parts());
  }

  /** Accumulates the rows of a bounded window in new calls, whose accumulators are fresh. */
  void recount(BitSet newCalls) {
    if (!reach.isBounded()) return;
    for (Row row : rows()) {
      calls.add(accumulators.parts(), row.values.row(columns.types()), newCalls);
    }
  }

  boolean isEmpty() {
    return rows().isEmpty();
  }

  /** Time at which the last of these rows leaves a time window; requires at least one row. */
  long expiresAt() {
    return TimeMath.plus(TimeMath.plus(rows().peekLast().time, reach.preceding), 1);
  }
}
