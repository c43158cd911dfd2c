package org.compiledplan.kernel.state.seeding;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.TimedState;
import scala.jdk.javaapi.CollectionConverters;

/** The rows with a stage's initial state: one per key and operator. */
final class SeedRows {
  /** Input and, for later stages, output. */
  static final StructType SCHEMA =
      StructType.fromDDL("level INT, op STRING, key STRING, bytes BINARY");

  /** Columns of a row besides its grouping key. */
  static final StructType PACKED = StructType.fromDDL("level INT, bytes BINARY");

  private static final int LEVEL = 0;
  private static final int BYTES = 1;

  private SeedRows() {}

  /**
   * Stores the single row of a key.
   *
   * @param now time in ms up to which timers fire in this micro-batch
   * @throws IllegalStateException if the key has a second row
   */
  static void store(
      StageRuntime.Hosted to,
      Row key,
      Iterator<InternalRow> rows,
      TimedState state,
      BatchContext context,
      long now) {
    byte[] bytes = rows.next().getBinary(BYTES);
    if (rows.hasNext()) throw doubled(to.uid, StageKeys.key(key));
    to.interruption.check();
    to.counts.addRowsIn(0, 1);
    state.begin(now);
    if (!to.operator.stateFormat().put(state, bytes, context)) to.counts.addRowsOut(1);
  }

  /** The error of a key with two states. */
  static IllegalStateException doubled(String uid, String key) {
    return new IllegalStateException(
        ("operator %s gets two states for the key %s: two keys of the state before have become one")
            .formatted(uid, key));
  }

  /** Rows for other stages, unchanged. */
  static Iterator<InternalRow> pass(Row key, Iterator<InternalRow> rows) {
    if (!rows.hasNext()) return Collections.emptyIterator();
    UTF8String op = UTF8String.fromString(StageKeys.op(key));
    UTF8String text = UTF8String.fromString(StageKeys.key(key));
    return CollectionConverters.asJava(
        CollectionConverters.asScala(rows)
            .map(
                row ->
                    (InternalRow)
                        new GenericInternalRow(
                            new Object[] {row.getInt(LEVEL), op, text, row.getBinary(BYTES)})));
  }
}
