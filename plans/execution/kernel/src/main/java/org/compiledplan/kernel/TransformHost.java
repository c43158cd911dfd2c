package org.compiledplan.kernel;

import java.util.Collections;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.ImplicitGroupingKeyTracker;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.operators.BatchContext;
import org.compiledplan.kernel.operators.TimedState;
import scala.jdk.javaapi.CollectionConverters;

/** Hosts a stage in {@code transformWithState}. Spark's own TTL is not used. */
final class TransformHost extends StatefulProcessor<Row, Row, Row> {
  private static final long serialVersionUID = 1L;

  private final StageSpec spec;
  private final StageMetrics metrics;
  private transient StageRuntime runtime;
  private transient ValueState<byte[]> state;

  TransformHost(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics);
    state = getHandle().getValueState("state", Encoders.BINARY(), TTLConfig.NONE());
  }

  @Override
  public scala.collection.Iterator<Row> handleInputRows(
      Row key, scala.collection.Iterator<Row> rows, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(key.getString(0));
    java.util.Iterator<Row> input = CollectionConverters.asJava(rows);
    return CollectionConverters.asScala(
        to == null ? runtime.pass(input) : runtime.process(to, input, new State(to, key), context(times)));
  }

  @Override
  public scala.collection.Iterator<Row> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    StageRuntime.Hosted to = runtime.operator(key.getString(0));
    if (to != null) {
      State timed = new State(to, key);
      timed.fired();
      to.operator.onTimer(timed, context(times));
    }
    return CollectionConverters.asScala(Collections.<Row>emptyIterator());
  }

  private static BatchContext context(TimerValues times) {
    return new BatchContext(times.getCurrentProcessingTimeInMs(), Long.MIN_VALUE);
  }

  /**
   * State of one key. Output rows are made lazily, when Spark has already left the key's scope, so every
   * access puts the key back for its duration.
   */
  private final class State extends TimedState {
    private final StageRuntime.Hosted to;
    private final Row key;

    State(StageRuntime.Hosted to, Row key) {
      this.to = to;
      this.key = key;
    }

    private void within(Runnable access) {
      scala.Option<Object> outer = ImplicitGroupingKeyTracker.getImplicitKeyOption();
      ImplicitGroupingKeyTracker.setImplicitKey(key);
      try {
        access.run();
      } finally {
        if (outer.isEmpty()) ImplicitGroupingKeyTracker.removeImplicitKey();
        else ImplicitGroupingKeyTracker.setImplicitKey(outer.get());
      }
    }

    @Override
    protected byte[] load() {
      byte[][] loaded = new byte[1][];
      within(() -> loaded[0] = state.get());
      return loaded[0];
    }

    @Override
    protected void store(byte[] bytes) {
      within(() -> state.update(bytes));
    }

    @Override
    protected void clear() {
      within(state::clear);
    }

    @Override
    protected void setTimer(long time) {
      within(() -> getHandle().registerTimer(time));
    }

    @Override
    protected void dropTimer(long time) {
      within(() -> getHandle().deleteTimer(time));
    }

    @Override
    protected void countEntries(int delta) {
      to.counters.stateRows.add(delta);
    }
  }
}
