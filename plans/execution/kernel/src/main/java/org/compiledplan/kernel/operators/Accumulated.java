package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.aggregates.Accumulator;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;

/** The accumulators of some rows, with the number of the rows; read from bytes only when they are needed. */
final class Accumulated {
  private final AggregateCalls calls;
  private long rows;
  /** Null while they are bytes. */
  private Accumulator[] accumulators;
  private byte[] raw;
  private int offset;
  private int length;

  /** Accumulators of no rows. */
  Accumulated(AggregateCalls calls) {
    this.calls = calls;
    accumulators = calls.fresh();
  }

  /** What {@link #write} wrote. */
  Accumulated(AggregateCalls calls, ByteReader in) {
    this.calls = calls;
    rows = in.readSigned();
    length = in.readVarInt();
    offset = in.position();
    raw = in.array();
    in.skip(length);
  }

  private Accumulator[] accumulators() {
    if (accumulators == null) {
      accumulators = calls.read(new ByteReader(raw, offset, length));
      raw = null;
    }
    return accumulators;
  }

  void process(Object[] row, boolean add) {
    calls.process(accumulators(), row, add);
    rows += add ? 1 : -1;
  }

  /** Takes in what another took, which stays as it is. */
  void merge(Accumulated other) {
    AggregateCalls.merge(accumulators(), other.accumulators());
    rows += other.rows;
  }

  /** Rows that were added, less those that were taken back. */
  long rows() {
    return rows;
  }

  /** Puts the values into a row from a position on. */
  void values(Object[] row, int at) {
    AggregateCalls.values(accumulators(), row, at);
  }

  /** @param scratch a writer to use meanwhile */
  void write(ByteWriter out, ByteWriter scratch) {
    out.writeSigned(rows);
    if (accumulators == null) {
      out.writeVarLong(length);
      out.writeBytes(raw, offset, length);
    } else {
      scratch.clear();
      AggregateCalls.write(accumulators, scratch);
      out.writeSized(scratch);
    }
  }
}
