package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/** MIN and MAX; nulls are skipped. */
final class Extrema {
  private Extrema() {}

  /** Keeps the best value only. */
  static final class InsertOnly implements Accumulator {
    private final int arg;
    private final ValueType type;
    private final int sign;
    private Object best;

    /**
     * @param sign 1 for MAX, -1 for MIN
     */
    InsertOnly(int arg, ValueType type, int sign) {
      this.arg = arg;
      this.type = type;
      this.sign = sign;
    }

    @Override
    public void add(Object[] row) {
      add(row[arg]);
    }

    private void add(Object value) {
      if (value != null && (best == null || Values.compare(value, best) * sign > 0)) best = value;
    }

    @Override
    public void retract(Object[] row) {
      // As in Flink, which plans it so over values that only ever shrink (MIN) or grow (MAX): what
      // comes instead of
      // the value that is taken back is at least as good.
    }

    @Override
    public void merge(Accumulator other) {
      add(((InsertOnly) other).best);
    }

    @Override
    public Object value() {
      return best;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.EXTREMUM;
    }

    @Override
    public void fields(Fields io) {
      best = io.value("best", type, best);
    }
  }

  /**
   * Keeps every value with how often it is there. A retraction that comes before its row is
   * remembered as a negative count (Flink's MaxWithRetractAggFunction).
   */
  static final class Retractable implements Accumulator {
    private final int arg;
    private final SortedCounts counts;

    Retractable(int arg, ValueType type, int sign) {
      this.arg = arg;
      counts = new SortedCounts(type, (a, b) -> -sign * Values.compare(a, b));
    }

    @Override
    public void add(Object[] row) {
      if (row[arg] != null) counts.change(row[arg], 1);
    }

    @Override
    public void retract(Object[] row) {
      if (row[arg] != null) counts.change(row[arg], -1);
    }

    @Override
    public void merge(Accumulator other) {
      counts.merge(((Retractable) other).counts);
    }

    @Override
    public Object value() {
      for (Counts.Entry entry : counts.entries()) {
        if (entry.count > 0) return entry.value;
      }
      return null;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.EXTREMUM_RETRACTABLE;
    }

    @Override
    public void fields(Fields io) {
      counts.fields(io);
    }
  }
}
