package org.compiledplan.kernel.host.runtime;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRow;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.ImplicitGroupingKeyTracker;
import org.apache.spark.sql.types.StructType;

/**
 * The grouping key of a stage: (key, op). The key comes first because Spark sorts the rows of a
 * task by it and compares the first bytes of the first column fast: with op first, which all rows
 * share, the sort took a fifth of an aggregate's time.
 */
public final class StageKeys {
  /** Positions of the key's columns. */
  public static final int KEY = 0;

  public static final int OP = 1;

  private StageKeys() {}

  public static StructType schema() {
    return StructType.fromDDL("key STRING, op STRING");
  }

  public static Column[] columns() {
    return new Column[] {new Column("key"), new Column("op")};
  }

  public static Row of(String op, String key) {
    return new GenericRow(new Object[] {key, op});
  }

  public static String op(Row row) {
    return row.getString(OP);
  }

  public static String key(Row row) {
    return row.getString(KEY);
  }

  /**
   * Runs an access to {@code transformWithState}'s state of a key, which need not be Spark's
   * current key: output rows are created lazily, after Spark has left the key, and cleanup visits
   * many keys.
   */
  public static void within(Row key, Runnable access) {
    scala.Option<Object> outer = ImplicitGroupingKeyTracker.getImplicitKeyOption();
    if (!outer.isEmpty() && outer.get() == key) {
      access.run();
      return;
    }
    ImplicitGroupingKeyTracker.setImplicitKey(key);
    try {
      access.run();
    } finally {
      // Null is no key to Spark; a removed thread-local would be created again for each access.
      ImplicitGroupingKeyTracker.setImplicitKey(outer.isEmpty() ? null : outer.get());
    }
  }
}
