package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;

/** COUNT(*) without arguments, else COUNT of the rows in which no argument is null. */
final class CountAccumulator implements Accumulator {
  private final int[] args;
  private long count;

  CountAccumulator(int[] args) {
    this.args = args;
  }

  private boolean counts(Object[] row) {
    for (int arg : args) {
      if (row[arg] == null) return false;
    }
    return true;
  }

  @Override
  public void add(Object[] row) {
    if (counts(row)) count++;
  }

  @Override
  public void retract(Object[] row) {
    if (counts(row)) count--;
  }

  @Override
  public void merge(Accumulator source) {
    count += ((CountAccumulator) source).count;
  }

  @Override
  public Object value() {
    return count;
  }

  @Override
  public AccumulatorForm form() {
    return AccumulatorForm.COUNT;
  }

  @Override
  public void fields(Fields io) {
    count = io.number("count", count);
  }
}
