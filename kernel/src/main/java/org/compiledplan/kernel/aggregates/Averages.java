package org.compiledplan.kernel.aggregates;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.ValueType;

/**
 * AVG: nulls are skipped, null without values. Integers are summed as BIGINT and the result is
 * truncated, floating-point numbers are summed as DOUBLE (Flink's AvgAggFunction).
 */
final class Averages {
  private Averages() {}

  static final class Integral implements Accumulator {
    private final int arg;
    private final ValueType type;
    private long sum;
    private long count;

    Integral(int arg, ValueType type) {
      this.arg = arg;
      this.type = type;
    }

    @Override
    public void add(Object[] row) {
      if (row[arg] != null) {
        sum += ((Number) row[arg]).longValue();
        count++;
      }
    }

    @Override
    public void retract(Object[] row) {
      if (row[arg] != null) {
        sum -= ((Number) row[arg]).longValue();
        count--;
      }
    }

    @Override
    public void merge(Accumulator source) {
      sum += ((Integral) source).sum;
      count += ((Integral) source).count;
    }

    @Override
    public Object value() {
      return count == 0 ? null : type.integral(sum / count);
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.AVERAGE_INTEGRAL;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = io.number("sum", sum);
    }
  }

  static final class Floating implements Accumulator {
    private final int arg;
    private final ValueType type;
    private double sum;
    private long count;

    Floating(int arg, ValueType type) {
      this.arg = arg;
      this.type = type;
    }

    @Override
    public void add(Object[] row) {
      if (row[arg] != null) {
        sum += ((Number) row[arg]).doubleValue();
        count++;
      }
    }

    @Override
    public void retract(Object[] row) {
      if (row[arg] != null) {
        sum -= ((Number) row[arg]).doubleValue();
        count--;
      }
    }

    @Override
    public void merge(Accumulator source) {
      sum += ((Floating) source).sum;
      count += ((Floating) source).count;
    }

    @Override
    public Object value() {
      if (count == 0) return null;
      double average = sum / count;
      if (type.kind() == ValueType.Kind.FLOAT) return (float) average;
      return average;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.AVERAGE_FLOATING;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = io.real("sum", sum);
    }
  }

  /**
   * AVG of DECIMAL, rounded half up to the result's scale. A sum that exceeds the maximum precision
   * is null from then on.
   */
  static final class Decimal implements Accumulator {
    private static final int DIGITS = 38;

    private final int arg;
    private final ValueType argument;
    private final ValueType type;
    private BigDecimal sum;
    private long count;

    Decimal(int arg, ValueType argument, ValueType type) {
      this.arg = arg;
      this.argument = argument;
      sum = BigDecimal.ZERO.setScale(argument.scale());
      this.type = type;
    }

    @Override
    public void add(Object[] row) {
      if (row[arg] != null) {
        plus((BigDecimal) row[arg]);
        count++;
      }
    }

    @Override
    public void retract(Object[] row) {
      if (row[arg] != null) {
        plus(((BigDecimal) row[arg]).negate());
        count--;
      }
    }

    private void plus(BigDecimal number) {
      if (sum == null) return;
      sum = number == null ? null : sum.add(number);
      if (sum != null && sum.precision() > DIGITS) sum = null;
    }

    @Override
    public void merge(Accumulator source) {
      plus(((Decimal) source).sum);
      count += ((Decimal) source).count;
    }

    @Override
    public Object value() {
      if (count == 0 || sum == null) return null;
      BigDecimal average =
          sum.divide(BigDecimal.valueOf(count), type.scale(), RoundingMode.HALF_UP);
      return average.precision() > type.precision() ? null : average;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.AVERAGE_DECIMAL;
    }

    @Override
    public void fields(Fields io) {
      count = io.number("count", count);
      sum = (BigDecimal) io.value("sum", argument, sum);
    }
  }
}
