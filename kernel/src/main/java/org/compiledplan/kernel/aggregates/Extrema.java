package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/**
 * MIN and MAX; nulls are skipped. Without retraction a value replaces the current extremum if SQL's
 * {@code <} or {@code >} is true, as in Flink: comparisons with NaN are false, so NaN stays if it
 * is first and is otherwise skipped. Under retraction NaN is the greatest.
 */
final class Extrema {
  private Extrema() {}

  /** Stores the extremum only. */
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
      // As in Flink, which plans it over values that only shrink (MIN) or grow (MAX): the
      // replacement of the retracted value is at least as good.
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
   * Stores every value with its count. A retraction that precedes its row is stored as a negative
   * count (Flink's MaxWithRetractAggFunction).
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
