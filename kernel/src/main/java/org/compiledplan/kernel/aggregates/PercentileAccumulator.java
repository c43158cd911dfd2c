package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/**
 * PERCENTILE: the value at a fraction of the sorted values, interpolated linearly; a list for a
 * list of fractions. A third argument is the value's frequency; a frequency below 1 skips the
 * value. Nulls are skipped; null without values. The fractions are those of the first row (Flink's
 * PercentileAggFunction).
 */
final class PercentileAccumulator implements Accumulator {
  private static final ValueType DOUBLE = ValueType.of(ValueType.Kind.DOUBLE);
  private static final ValueType FRACTIONS = ValueType.nested(ValueType.Kind.ARRAY, DOUBLE);

  private final int[] args;
  private final boolean fractionsAreArray;
  private final SortedCounts counts =
      new SortedCounts(DOUBLE, Comparator.comparing(value -> (Double) value));

  /** Null before the first row. */
  private List<Object> fractions;

  PercentileAccumulator(AggregateCall call) {
    this.args = call.args();
    this.fractionsAreArray = call.argTypes()[1].kind() == ValueType.Kind.ARRAY;
  }

  @Override
  public void add(Object[] row) {
    if (fractions == null) fractions = fractionsOf(row[args[1]]);
    change(row, 1);
  }

  @Override
  public void retract(Object[] row) {
    change(row, -1);
  }

  private List<Object> fractionsOf(Object argument) {
    List<Object> result = new ArrayList<>();
    for (Object item : fractionsAreArray ? (List<?>) argument : List.of(argument)) {
      double fraction = ((Number) item).doubleValue();
      if (!(fraction >= 0 && fraction <= 1)) {
        throw new IllegalArgumentException(
            "Percentage of PERCENTILE should be between [0.0, 1.0], but was '" + fraction + "'.");
      }
      result.add(fraction);
    }
    return result;
  }

  private void change(Object[] row, int sign) {
    long times = 1;
    if (args.length > 2) {
      if (row[args[2]] == null) return;
      times = ((Number) row[args[2]]).longValue();
    }
    if (times <= 0 || row[args[0]] == null) return;
    counts.change(((Number) row[args[0]]).doubleValue(), sign * times);
  }

  @Override
  public void merge(Accumulator source) {
    PercentileAccumulator that = (PercentileAccumulator) source;
    if (fractions == null) fractions = that.fractions;
    counts.merge(that.counts);
  }

  @Override
  public Object value() {
    long total = 0;
    for (Counts.Entry entry : counts.entries()) total += entry.count;
    if (fractions == null || total <= 0) return null;
    if (!fractionsAreArray) return at((Double) fractions.get(0), total);
    List<Object> values = new ArrayList<>();
    for (Object fraction : fractions) values.add(at((Double) fraction, total));
    return values;
  }

  private double at(double fraction, long total) {
    double position = (total - 1) * fraction + 1;
    long below = (long) Math.floor(position);
    long above = (long) Math.ceil(position);
    double low = number(below);
    double high = number(above);
    return below == above || low == high
        ? low
        : (above - position) * low + (position - below) * high;
  }

  /** The value at a rank, counted from 1. */
  private double number(long place) {
    long seen = 0;
    Object value = null;
    for (Counts.Entry entry : counts.entries()) {
      seen += entry.count;
      value = entry.value;
      if (seen >= place) break;
    }
    return (Double) value;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.PERCENTILE;
  }

  @Override
  @SuppressWarnings("unchecked")
  public void fields(Fields io) {
    fractions = (List<Object>) io.value("fractions", FRACTIONS, fractions);
    counts.fields(io);
  }
}
