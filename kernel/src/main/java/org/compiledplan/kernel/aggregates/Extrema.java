package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.Fields;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * MIN and MAX; nulls are skipped. Without retraction a value takes the place of the best one when
 * SQL's {@code <} or {@code >} says so, as in Flink: NaN comes before or behind nothing, so it
 * stays when it is first and is skipped else. Under retraction NaN is the greatest.
 */
final class Extrema {
  private Extrema() {}

  /** Keeps the best value only. */
  static final class InsertOnly implements Accumulator {
    private final int arg;
    private final ValueType type;
    private final int sign;
    private final boolean floating;
    private Object best;

    /**
     * @param sign 1 for MAX, -1 for MIN
     */
    InsertOnly(int arg, ValueType type, int sign) {
      this.arg = arg;
      this.type = type;
      this.sign = sign;
      floating = type.isFloating();
    }

    @Override
    public void add(Object[] row) {
      add(row[arg]);
    }

    private void add(Object value) {
      if (value != null && (best == null || isBetter(value))) best = value;
    }

    private boolean isBetter(Object value) {
      if (!floating) return Values.compare(value, best) * sign > 0;
      double number = ((Number) value).doubleValue();
      double present = ((Number) best).doubleValue();
      return sign > 0 ? number > present : number < present;
    }

    @Override
    public void retract(Object[] row) {
      // As in Flink, which plans it so over values that only ever shrink (MIN) or grow (MAX): what
      // comes instead of
      // the value that is taken back is at least as good.
    }

    @Override
    public void merge(Accumulator source) {
      add(((InsertOnly) source).best);
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
    public void merge(Accumulator source) {
      counts.merge(((Retractable) source).counts);
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
