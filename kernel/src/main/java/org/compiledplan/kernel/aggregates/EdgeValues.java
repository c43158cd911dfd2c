package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/** FIRST_VALUE and LAST_VALUE in arrival order; nulls are skipped. */
final class EdgeValues {
  private EdgeValues() {}

  /** Stores one value. */
  static final class InsertOnly implements Accumulator {
    private final int arg;
    private final ValueType type;
    private final boolean first;
    private Object edge;

    InsertOnly(AggregateCall call, boolean first) {
      this.arg = call.args()[0];
      this.type = call.argTypes()[0];
      this.first = first;
    }

    @Override
    public void add(Object[] row) {
      if (row[arg] != null && (!first || edge == null)) edge = row[arg];
    }

    @Override
    public void retract(Object[] row) {
      throw new IllegalStateException(
          "FIRST_VALUE or LAST_VALUE over insert-only input got a retraction");
    }

    @Override
    public void merge(Accumulator source) {
      Object value = ((InsertOnly) source).edge;
      if (value != null && (!first || edge == null)) edge = value;
    }

    @Override
    public Object value() {
      return edge;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.EDGE_VALUE;
    }

    @Override
    public void fields(Fields io) {
      edge = io.value("kept", type, edge);
    }
  }

  /** Stores all values; a retraction removes the value's first occurrence. */
  static final class Retractable extends BagAccumulator {
    private final boolean first;

    Retractable(AggregateCall call, boolean first) {
      super(call, false);
      this.first = first;
    }

    @Override
    public Object value() {
      int size = bag.values.size();
      return size == 0 ? null : bag.values.get(first ? 0 : size - 1);
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.EDGE_VALUE_RETRACTABLE;
    }
  }
}
