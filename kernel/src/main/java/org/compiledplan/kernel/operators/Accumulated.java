package org.compiledplan.kernel.operators;

import java.util.BitSet;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.state.ByteFields;
import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.state.Frames;
import org.compiledplan.kernel.state.Stored;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/**
 * The accumulators of some rows, with the number of the rows; read from bytes only when they are
 * needed.
 */
final class Accumulated implements Stored, Partial {
  private final AggregateCalls calls;
  private final Frames<Accumulator> accumulators;
  private long rows;

  /** What {@link #add(Object[])} said so far. */
  private long held;

  Accumulated(AggregateCalls calls) {
    this.calls = calls;
    accumulators = new Frames<>(calls.layout());
  }

  @Override
  public void fields(Fields io) {
    rows = io.number("rows", rows);
    io.frames("aggregates", accumulators);
  }

  /** What {@link #toBytes} gave. */
  static Accumulated of(AggregateCalls calls, byte[] bytes) {
    Accumulated state = new Accumulated(calls);
    state.fields(new ByteFields.Reader(new ByteReader(bytes, 0, bytes.length)));
    return state;
  }

  @Override
  public BitSet columns() {
    return calls.columns();
  }

  @Override
  public long add(InputRow row) {
    return add(row.values());
  }

  /** Takes a row in; returns about how many bytes more are held. */
  long add(Object[] row) {
    process(row, true);
    long before = held;
    held = calls.heldBytes(accumulators.parts());
    return held - before;
  }

  @Override
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter(64);
    fields(new ByteFields.Writer(out));
    return out.toBytes();
  }

  void process(Object[] row, boolean add) {
    calls.process(accumulators.parts(), row, add);
    rows += add ? 1 : -1;
  }

  /** Takes in what another took, which stays as it is. */
  void merge(Accumulated source) {
    AggregateCalls.merge(accumulators.parts(), source.accumulators.parts());
    rows += source.rows;
  }

  /** Rows that were added, less those that were taken back. */
  long rows() {
    return rows;
  }

  /** Puts the values into a row from a position on. */
  void values(Object[] row, int at) {
    AggregateCalls.values(accumulators.parts(), row, at);
  }
}
