package org.compiledplan.kernel.aggregates;

import java.util.Locale;
import org.compiledplan.kernel.state.serialization.Framed;

/**
 * The forms of accumulators in state. Codes, names and versions are stored in checkpoints: none is
 * ever reused, and a change of an accumulator's fields increments its version.
 */
public enum AccumulatorForm implements Framed.Form {
  COUNT(1, 1),
  SUM_INTEGRAL(2, 1),
  SUM_FLOATING(3, 1),
  SUM_DECIMAL(4, 1),
  AVERAGE_INTEGRAL(5, 1),
  AVERAGE_FLOATING(6, 1),
  AVERAGE_DECIMAL(7, 1),
  EXTREMUM(8, 1),
  EXTREMUM_RETRACTABLE(9, 1),
  EDGE_VALUE(10, 1),
  EDGE_VALUE_RETRACTABLE(11, 1),
  TEXT_LIST(12, 1),
  TEXT_LIST_RETRACTABLE(13, 1),
  ARRAY(14, 1),
  MULTISET(15, 1),
  LAG(16, 1),
  SINGLE_VALUE(17, 1),
  PERCENTILE(18, 1),
  WELFORD(19, 1),
  JSON_OBJECT(20, 1),
  JSON_ARRAY(21, 1),
  DISTINCT(22, 1),
  /** Pickled accumulators without a declared type. */
  PYTHON(23, 1),
  PYTHON_VALUE(24, 1),
  BITMAP(25, 1),
  /** The count of each member. */
  BITMAP_COUNTS(26, 1),
  JAVA_VALUE(27, 1);

  private final int code;
  private final int version;

  AccumulatorForm(int code, int version) {
    this.code = code;
    this.version = version;
  }

  @Override
  public int code() {
    return code;
  }

  @Override
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public int version() {
    return version;
  }
}
