package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;

/**
 * $$WELFORD_M2$1: the sum of squared distances from the mean, from which plans compute variance and
 * standard deviation; nulls are skipped, null without values (Flink's WelfordM2AggFunction).
 */
final class WelfordAccumulator implements Accumulator {
  private final int arg;
  private long count;
  private double mean;
  private double squares;

  WelfordAccumulator(int arg) {
    this.arg = arg;
  }

  @Override
  public void add(Object[] row) {
    if (row[arg] == null) return;
    count++;
    if (count <= 0) return;
    double value = ((Number) row[arg]).doubleValue();
    double distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }

  @Override
  public void retract(Object[] row) {
    if (row[arg] == null) return;
    count--;
    if (count == 0) {
      mean = 0;
      squares = 0;
    }
    if (count <= 0) return;
    double value = ((Number) row[arg]).doubleValue();
    double distance = value - mean;
    mean -= distance / count;
    squares -= distance * (value - mean);
  }

  @Override
  public void merge(Accumulator source) {
    WelfordAccumulator that = (WelfordAccumulator) source;
    long all = count + that.count;
    if (that.count == 0) return;
    if (all > 0) {
      double distance = that.mean - mean;
      squares += that.squares + distance * distance * count * that.count / all;
      mean += distance * that.count / all;
    } else {
      mean = 0;
      squares = 0;
    }
    count = all;
  }

  @Override
  public Object value() {
    return count <= 0 || squares < 0 ? null : (Object) squares;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.WELFORD;
  }

  @Override
  public void fields(Fields io) {
    count = io.number("count", count);
    mean = io.real("mean", mean);
    squares = io.real("squares", squares);
  }
}
