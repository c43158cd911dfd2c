package org.compiledplan.kernel.operators.aggregate;

import java.util.BitSet;
import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Partial;
import org.compiledplan.kernel.state.serialization.ByteFields;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Frames;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/** Accumulators of several rows and the number of these rows, decoded from bytes on demand. */
public final class Accumulated implements Stored, Partial {
  private final AggregateCalls calls;
  private final Frames<Accumulator> accumulators;
  private long rows;

  /** Size of the accumulators as {@link #add(Object[])} last measured it, in bytes. */
  private long size;

  public Accumulated(AggregateCalls calls) {
    this.calls = calls;
    accumulators = new Frames<>(calls.layout());
  }

  @Override
  public void fields(Fields io) {
    rows = io.number("rows", rows);
    io.frames("aggregates", accumulators);
  }

  /** Decodes the result of {@link #toBytes}. */
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

  /** Accumulates a row; returns the approximate growth in bytes. */
  public long add(Object[] row) {
    process(row, true);
    long before = size;
    size = calls.heldBytes(accumulators.parts());
    return size - before;
  }

  @Override
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter(64);
    fields(new ByteFields.Writer(out));
    return out.toBytes();
  }

  public void process(Object[] row, boolean add) {
    calls.process(accumulators.parts(), row, add);
    rows += add ? 1 : -1;
  }

  /** Merges another state into this one; the source is not changed. */
  public void merge(Accumulated source) {
    AggregateCalls.merge(accumulators.parts(), source.accumulators.parts());
    rows += source.rows;
  }

  /** Accumulated rows minus retracted rows. */
  public long rows() {
    return rows;
  }

  /** Writes the results into a row, starting at position {@code at}. */
  public void values(Object[] row, int at) {
    AggregateCalls.values(accumulators.parts(), row, at);
  }
}
