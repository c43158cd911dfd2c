package org.compiledplan.kernel.state.seeding;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.GroupState;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.host.store.GroupStateKey;
import org.compiledplan.kernel.operators.base.BatchContext;

/** Writes the initial state of a stage that {@code GroupStateHost} continues. */
final class GroupStateSeed
    implements FlatMapGroupsWithStateFunction<Row, InternalRow, byte[], InternalRow> {
  private final StageSpec spec;
  private final StageMetrics metrics;
  private transient StageRuntime runtime;

  GroupStateSeed(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public Iterator<InternalRow> call(Row key, Iterator<InternalRow> rows, GroupState<byte[]> state) {
    if (runtime == null) runtime = new StageRuntime(spec, metrics, StoredState::condition);
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    if (to == null) return SeedRows.pass(key, rows);
    long now = state.getCurrentProcessingTimeMs();
    SeedRows.store(
        to, key, rows, new GroupStateKey(to, state), new BatchContext(now, Long.MIN_VALUE), now);
    return Collections.emptyIterator();
  }
}
