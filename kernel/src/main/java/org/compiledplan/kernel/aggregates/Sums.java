package org.compiledplan.kernel.aggregates;

import java.math.BigDecimal;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/**
 * SUM and $SUM0: nulls are skipped; without values SUM is null and $SUM0 is zero (Flink's
 * SumAggFunction, SumWithRetractAggFunction, Sum0AggFunction).
 */
final class Sums {
  private Sums() {}

  private abstract static class Sum implements Accumulator {
    final int arg;
    final ValueType type;
    final boolean zeroIfEmpty;

    /** Number of values that are not null. */
    long count;

    Sum(int arg, ValueType type, boolean zeroIfEmpty) {
      this.arg = arg;
      this.type = type;
      this.zeroIfEmpty = zeroIfEmpty;
    }

    abstract void addValue(Object value, boolean negative);

    abstract Object sum();

    @Override
    public void add(Object[] row) {
      Object value = row[arg];
      if (value != null) {
        addValue(value, false);
        count++;
      }
    }

    @Override
    public void retract(Object[] row) {
      Object value = row[arg];
      if (value != null) {
        addValue(value, true);
        count--;
      }
    }

    @Override
    public void merge(Accumulator source) {
      Sum that = (Sum) source;
      Object more = that.count == 0 ? null : that.sum();
      if (more != null) addValue(more, false);
      count += that.count;
    }

    @Override
    public Object value() {
      return count == 0 && !zeroIfEmpty ? null : sum();
    }
  }

  /** Integers; the sum wraps around in the result's type. */
  static final class Integral extends Sum {
    private long sum;

    Integral(int arg, ValueType type, boolean zeroIfEmpty) {
      super(arg, type, zeroIfEmpty);
    }

    @Override
    void addValue(Object value, boolean negative) {
      long number = ((Number) value).longValue();
      sum += negative ? -number : number;
    }

    @Override
    Object sum() {
      return type.integral(sum);
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.SUM_INTEGRAL;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = io.number("sum", sum);
    }
  }

  /** FLOAT and DOUBLE, each step rounded to the type. */
  static final class Floating extends Sum {
    private double sum;

    Floating(int arg, ValueType type, boolean zeroIfEmpty) {
      super(arg, type, zeroIfEmpty);
    }

    @Override
    void addValue(Object value, boolean negative) {
      double number = ((Number) value).doubleValue();
      sum = negative ? sum - number : sum + number;
      if (type.kind() == ValueType.Kind.FLOAT) sum = (float) sum;
    }

    @Override
    Object sum() {
      if (type.kind() == ValueType.Kind.FLOAT) return (float) sum;
      return sum;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.SUM_FLOATING;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = io.real("sum", sum);
    }
  }

  /**
   * DECIMAL; a sum that exceeds the result's precision is null. SUM restarts with the next value,
   * $SUM0 stays null.
   */
  static final class Decimal extends Sum {
    private BigDecimal sum;

    Decimal(int arg, ValueType type, boolean zeroIfEmpty) {
      super(arg, type, zeroIfEmpty);
      if (zeroIfEmpty) sum = BigDecimal.ZERO.setScale(type.scale());
    }

    @Override
    public void merge(Accumulator source) {
      Decimal that = (Decimal) source;
      if (zeroIfEmpty && that.sum == null) sum = null;
      super.merge(source);
    }

    @Override
    void addValue(Object value, boolean negative) {
      if (zeroIfEmpty && sum == null) return;
      BigDecimal number =
          value instanceof BigDecimal
              ? (BigDecimal) value
              : BigDecimal.valueOf(((Number) value).longValue());
      if (negative) number = number.negate();
      BigDecimal next = sum == null ? number : sum.add(number);
      next =
          next.scale() == type.scale()
              ? next
              : next.setScale(type.scale(), java.math.RoundingMode.HALF_UP);
      sum = next.precision() > type.precision() ? null : next;
    }

    @Override
    Object sum() {
      return sum;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.SUM_DECIMAL;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = (BigDecimal) io.value("sum", type, sum);
    }
  }
}
