package org.compiledplan.kernel.host.runtime;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Session;

/** The rows that an operator emits for one key, one input row at a time. */
final class OperatorRows implements Iterator<InternalRow> {
  private final StageSpec spec;
  private final StageRuntime.Hosted to;
  private final String key;
  private final Iterator<InternalRow> rows;
  private final Session session;
  private final long batchWatermark;
  private final Emitted emitted;
  private final int partial;
  private long latest = Long.MIN_VALUE;
  private boolean closed;

  private final Outcome.Counts outcomes = new Outcome.Counts();

  /** Rows by input. */
  private final long[] rowsIn;

  OperatorRows(
      StageSpec spec,
      StageRuntime.Hosted to,
      String key,
      Iterator<InternalRow> rows,
      Session session,
      BatchContext context) {
    this.spec = spec;
    this.to = to;
    this.key = key;
    rowsIn = new long[to.columns.length];
    this.rows = rows;
    this.session = session;
    batchWatermark = context.watermark();
    emitted = new Emitted(spec, to);
    partial = to.folds ? spec.inputSchema.length() : -1;
  }

  @Override
  public boolean hasNext() {
    while (emitted.isEmpty()) {
      if (rows.hasNext()) {
        take(rows.next());
      } else if (closed) {
        return false;
      } else {
        long begun = to.time.begin();
        session.close(emitted);
        to.time.end(begun);
        count();
        emitted.count();
        closed = true;
      }
    }
    return true;
  }

  private void count() {
    long all = 0;
    for (int port = 0; port < rowsIn.length; port++) {
      to.counts.addRowsIn(port, rowsIn[port]);
      all += rowsIn[port];
    }
    to.counts.add(outcomes);
    if (all > 0) to.counters.hotKeys.add(key, all);
  }

  private void take(InternalRow row) {
    to.interruption.check();
    long begun = to.time.begin();
    InputRow input = input(row);
    if (!to.folds) {
      emitted.triggeredBy(row);
    } else if (row.getLong(spec.head[StageSpec.ORD]) >= latest) {
      // Rows emitted at the end belong to the last row by order number, whatever the processing
      // order.
      latest = row.getLong(spec.head[StageSpec.ORD]);
      emitted.triggeredBy(row);
    }
    if (partial >= 0 && row.numFields() > partial && !row.isNullAt(partial)) {
      rowsIn[input.port()] += session.merge(input, row.getBinary(partial), emitted, outcomes);
    } else {
      rowsIn[input.port()]++;
      Outcome outcome = session.process(input, emitted);
      outcomes.add(outcome, 1);
      StageRuntime.Late late = to.late[input.port()];
      if (late != null && outcome.isLate()) emitted.late(row, late, input.watermark());
    }
    to.time.end(begun);
  }

  private InputRow input(InternalRow row) {
    int port = row.getInt(spec.head[StageSpec.PORT]);
    int column = to.columns[port];
    if (row.isNullAt(column)) {
      throw new IllegalStateException(
          "a row for input " + port + " of operator " + to.uid + " has no values in its column");
    }
    SparkTypes.Reader[] readers = to.fromSpark.get(port);
    return new InputRow(
        port,
        row.getByte(spec.head[StageSpec.KIND]),
        SparkTypes.values(row.getStruct(column, readers.length), readers),
        watermark(row));
  }

  /** Watermark at which a row arrives: its source's or the batch's, whichever is larger. */
  private long watermark(InternalRow row) {
    if (!spec.hasWatermark()) return Long.MIN_VALUE;
    int column = spec.head[StageSpec.WATERMARK];
    return row.isNullAt(column) ? Long.MIN_VALUE : Math.max(row.getLong(column), batchWatermark);
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    return emitted.take();
  }
}
