package org.compiledplan.kernel.aggregates;

import java.util.LinkedList;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/**
 * LAG: the value of the row at an offset before the last row, else the default. Arguments: the
 * value, the offset (default 1), the default (null). Follows Flink's LagAggFunction.
 */
final class LagAccumulator implements Accumulator {
  private final AggregateCall call;
  private final ValueType type;

  /** The last offset + 1 values, including nulls. */
  private final LinkedList<Object> last = new LinkedList<>();

  private int offset = 1;
  private Object fallback;

  LagAccumulator(AggregateCall call) {
    this.call = call;
    type = call.argTypes()[0];
  }

  @Override
  public void add(Object[] row) {
    if (call.args().length > 1) offset = ((Number) row[call.args()[1]]).intValue();
    if (offset < 0)
      throw new IllegalArgumentException("the offset " + offset + " of LAG is below 0");
    if (call.args().length > 2) fallback = row[call.args()[2]];
    last.addLast(row[call.args()[0]]);
    while (last.size() > offset + 1) last.removeFirst();
  }

  @Override
  public void retract(Object[] row) {
    throw new IllegalStateException("LAG takes nothing back");
  }

  @Override
  public void merge(Accumulator source) {
    throw new IllegalStateException("LAG is no aggregate of windows");
  }

  @Override
  public Object value() {
    if (last.size() <= offset) return fallback;
    return last.getFirst();
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.LAG;
  }

  @Override
  public void fields(Fields io) {
    offset = (int) io.count("offset", offset);
    fallback = io.value("default", type, fallback);
    io.values("last", type, last);
  }
}
