package org.compiledplan.kernel;

import java.util.Arrays;
import java.util.Iterator;
import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRow;
import org.compiledplan.kernel.operators.InputRow;
import org.compiledplan.kernel.operators.Out;
import org.compiledplan.kernel.operators.Session;

/** What an operator emits for the rows of one key, one input row at a time. */
final class OperatorRows implements Iterator<Row>, Out {
  private static final int PORT = 2;
  private static final int KIND = 3;
  private static final int ORD = 4;
  private static final int PATH = 5;
  private static final Integer NO_PORT = -1;

  private final StageSpec spec;
  private final StageRuntime.Hosted to;
  private final Iterator<Row> rows;
  private final Session session;
  private final ArrayDeque<Row> ready = new ArrayDeque<>();
  private boolean closed;
  private long rowsIn;
  private long rowsOut;
  private Object ord;
  private byte[] path;
  private int emissions;

  OperatorRows(StageSpec spec, StageRuntime.Hosted to, Iterator<Row> rows, Session session) {
    this.spec = spec;
    this.to = to;
    this.rows = rows;
    this.session = session;
  }

  @Override
  public boolean hasNext() {
    while (ready.isEmpty()) {
      if (rows.hasNext()) {
        session.process(take(rows.next()), this);
      } else if (closed) {
        return false;
      } else {
        session.close(this);
        to.counters.rowsIn.add(rowsIn);
        to.counters.rowsOut.add(rowsOut);
        closed = true;
      }
    }
    return true;
  }

  private InputRow take(Row row) {
    rowsIn++;
    ord = row.get(spec.head[ORD]);
    path = (byte[]) row.get(spec.head[PATH]);
    emissions = 0;
    int port = row.getInt(spec.head[PORT]);
    Row struct = row.getStruct(to.columns[port]);
    if (struct == null) {
      throw new IllegalStateException(
          "a row for input " + port + " of operator " + to.uid + " has no values in its column");
    }
    return new InputRow(
        port, row.getByte(spec.head[KIND]), SparkTypes.values(struct, to.fromSpark.get(port)));
  }

  @Override
  public void emit(byte kind, Object[] values) {
    Object[] row = new Object[spec.outputSchema.length()];
    row[0] = to.uid;
    row[PORT] = NO_PORT;
    row[KIND] = kind;
    row[ORD] = ord;
    row[PATH] = extended(path, emissions++);
    row[to.outputPosition] = SparkTypes.row(values, to.toSpark);
    rowsOut++;
    ready.add(new GenericRow(row));
  }

  private static byte[] extended(byte[] path, int number) {
    int length = path == null ? 0 : path.length;
    byte[] longer = path == null ? new byte[4] : Arrays.copyOf(path, length + 4);
    longer[length] = (byte) (number >>> 24);
    longer[length + 1] = (byte) (number >>> 16);
    longer[length + 2] = (byte) (number >>> 8);
    longer[length + 3] = (byte) number;
    return longer;
  }

  @Override
  public Row next() {
    if (!hasNext()) throw new NoSuchElementException();
    return ready.poll();
  }
}
