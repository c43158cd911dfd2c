package org.compiledplan.kernel;

import java.util.Iterator;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.GroupState;
import org.compiledplan.kernel.operators.BatchContext;
import org.compiledplan.kernel.operators.TimedState;
import org.compiledplan.kernel.operators.Times;

/** Hosts a stage in {@code flatMapGroupsWithState}, with processing-time timeouts as cleanup timers. */
final class GroupStateHost implements FlatMapGroupsWithStateFunction<Row, InternalRow, byte[], InternalRow> {
  private static final long serialVersionUID = 1L;

  private final StageSpec spec;
  private final StageMetrics metrics;
  private final boolean timeouts;
  private transient StageRuntime runtime;

  GroupStateHost(StageSpec spec, StageMetrics metrics, boolean timeouts) {
    this.spec = spec;
    this.metrics = metrics;
    this.timeouts = timeouts;
  }

  @Override
  public Iterator<InternalRow> call(Row key, Iterator<InternalRow> rows, GroupState<byte[]> state) {
    if (runtime == null) runtime = new StageRuntime(spec, metrics);
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    if (to == null) return runtime.pass(key, rows);
    State timed = new State(to, state);
    BatchContext context = new BatchContext(state.getCurrentProcessingTimeMs(), Long.MIN_VALUE);
    if (state.hasTimedOut()) {
      timed.fired(context.processingTime);
      return runtime.fire(to, timed, context);
    }
    Iterator<InternalRow> output = runtime.process(to, rows, timed, context);
    // A call forgets the timeout, so it is set again, even if the operator left its state alone.
    if (timeouts && state.exists()) timed.timer().ifPresent(timed::setTimer);
    return output;
  }

  /** State of one key. */
  private static final class State extends TimedState {
    private final StageRuntime.Hosted to;
    private final GroupState<byte[]> state;

    State(StageRuntime.Hosted to, GroupState<byte[]> state) {
      this.to = to;
      this.state = state;
    }

    @Override
    protected byte[] load() {
      return state.exists() ? state.get() : null;
    }

    @Override
    protected void store(byte[] bytes) {
      state.update(bytes);
      timer().ifPresent(this::setTimer);
    }

    @Override
    protected void clear() {
      state.remove();
    }

    @Override
    protected void setTimer(long time) {
      state.setTimeoutDuration(Math.max(1, Times.minus(time, state.getCurrentProcessingTimeMs())));
    }

    @Override
    protected void dropTimer(long time) {
      // A key has one timeout; the next that is set replaces it.
    }

    @Override
    protected void countEntries(int delta) {
      to.counters.stateRows.add(delta);
    }
  }
}
