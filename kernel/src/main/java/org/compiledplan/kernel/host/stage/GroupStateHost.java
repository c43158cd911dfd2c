package org.compiledplan.kernel.host.stage;

import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.GroupState;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.store.GroupStateKey;
import org.compiledplan.kernel.operators.base.BatchContext;

/**
 * Hosts a stage in {@code flatMapGroupsWithState}, with processing-time timeouts as cleanup timers.
 */
final class GroupStateHost
    implements FlatMapGroupsWithStateFunction<Row, InternalRow, byte[], InternalRow> {
  private final StageSpec spec;
  private final StageMetrics metrics;
  private transient StageRuntime runtime;

  GroupStateHost(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public Iterator<InternalRow> call(Row key, Iterator<InternalRow> rows, GroupState<byte[]> state) {
    if (runtime == null) runtime = new StageRuntime(spec, metrics, Conditions::load);
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    if (to == null) return runtime.pass(key, rows);
    GroupStateKey timed = new GroupStateKey(to, state);
    BatchContext context = new BatchContext(state.getCurrentProcessingTimeMs(), Long.MIN_VALUE);
    if (state.hasTimedOut()) {
      timed.fired(context.processingTime());
      return runtime.fire(to, timed, context);
    }
    Iterator<InternalRow> output = runtime.process(to, StageKeys.key(key), rows, timed, context);
    // Each call clears the timeout, so it is set again even if the operator did not change its
    // state.
    if (state.exists()) timed.timer().ifPresent(timed::setTimer);
    return output;
  }
}
