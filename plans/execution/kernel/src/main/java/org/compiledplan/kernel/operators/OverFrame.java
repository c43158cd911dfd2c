package org.compiledplan.kernel.operators;

import java.util.ArrayDeque;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * The rows of a key from the start of an OVER window to the present row: their accumulators, and the rows
 * themselves where they leave the window again.
 */
final class OverFrame {
  /** How far a window reaches back. */
  static final class Reach {
    /** Whether it is counted in rows, else in ms. */
    final boolean rows;
    /** Rows before the present one, or ms; -1: all. */
    final long preceding;

    Reach(OperatorSpec spec) {
      rows = spec.flag("rows", false);
      preceding = spec.number("preceding", -1);
    }

    boolean isBounded() {
      return preceding >= 0;
    }
  }

  private static final class Row {
    final long time;
    final Object[] values;

    Row(long time, Object[] values) {
      this.time = time;
      this.values = values;
    }
  }

  private final Reach reach;
  private final OverCalls calls;
  private final Accumulator[] accumulators;
  private final ArrayDeque<Row> rows = new ArrayDeque<>();

  OverFrame(Reach reach, OverCalls calls) {
    this.reach = reach;
    this.calls = calls;
    accumulators = calls.fresh();
  }

  /** The frame that {@link #write} wrote. */
  OverFrame(Reach reach, OverCalls calls, ByteReader in, ValueType[] types) {
    this.reach = reach;
    this.calls = calls;
    accumulators = calls.read(in);
    for (int left = in.readVarInt(); left > 0; left--) {
      long time = in.readSigned();
      rows.addLast(new Row(time, ValueCodec.readRow(in, types)));
    }
  }

  void write(ByteWriter out) {
    AggregateCalls.write(accumulators, out);
    out.writeVarLong(rows.size());
    for (Row row : rows) {
      out.writeSigned(row.time);
      ValueCodec.writeRow(row.values, out);
    }
  }

  /** Lets rows go that a window in time, with its end at the given one, no longer holds. */
  void moveTo(long time) {
    if (reach.rows || !reach.isBounded()) return;
    while (!rows.isEmpty() && time - rows.peekFirst().time > reach.preceding) {
      calls.retract(accumulators, rows.removeFirst().values);
    }
  }

  void add(long time, Object[] row) {
    if (reach.isBounded()) {
      if (reach.rows && rows.size() > reach.preceding) calls.retract(accumulators, rows.removeFirst().values);
      rows.addLast(new Row(time, row));
    }
    calls.add(accumulators, row);
  }

  Object[] values() {
    return calls.values(accumulators);
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The time from which on a window in time holds none of these rows; there must be one. */
  long goneAt() {
    return Times.plus(Times.plus(rows.peekLast().time, reach.preceding), 1);
  }
}
