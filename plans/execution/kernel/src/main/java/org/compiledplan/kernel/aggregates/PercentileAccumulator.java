package org.compiledplan.kernel.aggregates;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueType;

/**
 * PERCENTILE: the value at a fraction of the sorted values, between two of them by their distances; a list for a
 * list of fractions. A third argument says how often the value counts, no more than 0 leaves it out. Nulls are
 * skipped; null without values. The fractions are those of the first row (Flink's PercentileAggFunction).
 */
final class PercentileAccumulator implements Accumulator {
  private final int[] args;
  private final boolean many;
  private final TreeMap<Double, Long> counts = new TreeMap<>();
  private double[] fractions;

  PercentileAccumulator(AggregateCall call) {
    this.args = call.args;
    this.many = call.argTypes[1].kind == ValueType.Kind.ARRAY;
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

  private double[] fractionsOf(Object argument) {
    List<?> list = many ? (List<?>) argument : List.of(argument);
    double[] result = new double[list.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = ((Number) list.get(i)).doubleValue();
      if (!(result[i] >= 0 && result[i] <= 1)) {
        throw new IllegalArgumentException(
            "Percentage of PERCENTILE should be between [0.0, 1.0], but was '" + result[i] + "'.");
      }
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
    change(((Number) row[args[0]]).doubleValue(), sign * times);
  }

  private void change(Double value, long by) {
    counts.merge(value, by, (before, more) -> before + more == 0 ? null : Long.valueOf(before + more));
  }

  @Override
  public void merge(Accumulator other) {
    PercentileAccumulator that = (PercentileAccumulator) other;
    if (fractions == null) fractions = that.fractions;
    that.counts.forEach(this::change);
  }

  @Override
  public Object value() {
    long total = 0;
    for (long count : counts.values()) total += count;
    if (fractions == null || total <= 0) return null;
    if (!many) return at(fractions[0], total);
    List<Object> values = new ArrayList<>();
    for (double fraction : fractions) values.add(at(fraction, total));
    return values;
  }

  private double at(double fraction, long total) {
    double position = (total - 1) * fraction + 1;
    long below = (long) Math.floor(position);
    long above = (long) Math.ceil(position);
    double low = number(below);
    double high = number(above);
    return below == above || low == high ? low : (above - position) * low + (position - below) * high;
  }

  /** The value at the place, counted from 1. */
  private double number(long place) {
    long seen = 0;
    for (Map.Entry<Double, Long> entry : counts.entrySet()) {
      seen += entry.getValue();
      if (seen >= place) return entry.getKey();
    }
    return counts.lastKey();
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarLong(fractions == null ? 0 : fractions.length + 1);
    if (fractions != null) for (double fraction : fractions) out.writeFixedLong(Double.doubleToLongBits(fraction));
    out.writeVarLong(counts.size());
    for (Map.Entry<Double, Long> entry : counts.entrySet()) {
      out.writeFixedLong(Double.doubleToLongBits(entry.getKey()));
      out.writeSigned(entry.getValue());
    }
  }

  @Override
  public void read(ByteReader in) {
    int length = in.readVarInt();
    fractions = length == 0 ? null : new double[length - 1];
    for (int i = 0; i < length - 1; i++) fractions[i] = Double.longBitsToDouble(in.readFixedLong());
    int size = in.readVarInt();
    for (int i = 0; i < size; i++) {
      double value = Double.longBitsToDouble(in.readFixedLong());
      counts.put(value, in.readSigned());
    }
  }
}
