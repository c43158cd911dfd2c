package org.compiledplan.kernel;

import java.util.Collections;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
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
  private transient CleanupIndex index;

  TransformHost(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics);
    state = getHandle().getValueState("state", Encoders.BINARY(), TTLConfig.NONE());
    index = new CleanupIndex(getHandle(), state);
  }

  @Override
  public scala.collection.Iterator<Row> handleInputRows(
      Row key, scala.collection.Iterator<Row> rows, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    java.util.Iterator<Row> input = CollectionConverters.asJava(rows);
    BatchContext context = context(times);
    return CollectionConverters.asScala(
        to == null ? runtime.pass(input) : runtime.process(to, input, new State(to, key, context), context));
  }

  @Override
  public scala.collection.Iterator<Row> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    BatchContext context = context(times);
    if (CleanupIndex.owns(key)) {
      index.onTimer(key, context.processingTime, (uid, due, time) -> clean(uid, due, time, context));
    }
    return CollectionConverters.asScala(Collections.<Row>emptyIterator());
  }

  /** Removes what has expired of a key, unless the key is due at another time by now. */
  private void clean(String uid, String key, long due, BatchContext context) {
    StageRuntime.Hosted to = runtime.operator(uid);
    if (to == null) return;
    State timed = new State(to, StageKeys.of(uid, key), context);
    if (timed.get() == null || timed.timer() != due) return;
    timed.fired();
    to.operator.onTimer(timed, context);
  }

  private static BatchContext context(TimerValues times) {
    return new BatchContext(times.getCurrentProcessingTimeInMs(), Long.MIN_VALUE);
  }

  /** State of one key. */
  private final class State extends TimedState {
    private final StageRuntime.Hosted to;
    private final Row key;
    private final BatchContext context;

    State(StageRuntime.Hosted to, Row key, BatchContext context) {
      this.to = to;
      this.key = key;
      this.context = context;
    }

    @Override
    protected byte[] load() {
      byte[][] loaded = new byte[1][];
      StageKeys.within(key, () -> loaded[0] = state.get());
      return loaded[0];
    }

    @Override
    protected void store(byte[] bytes) {
      StageKeys.within(key, () -> state.update(bytes));
    }

    @Override
    protected void clear() {
      StageKeys.within(key, state::clear);
    }

    @Override
    protected long due(long expiry) {
      return to.roundUp(expiry);
    }

    @Override
    protected void setTimer(long time) {
      index.add(to.uid, StageKeys.key(key), time, context.processingTime);
    }

    @Override
    protected void dropTimer(long time) {
      // The key stays in the list, which is checked against the time that is stored with the key.
    }

    @Override
    protected void countEntries(int delta) {
      to.counters.stateRows.add(delta);
    }
  }
}
