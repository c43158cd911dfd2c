package org.compiledplan.kernel.host;

import java.util.Collections;
import java.util.OptionalLong;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.compiledplan.kernel.operators.BatchContext;
import scala.jdk.javaapi.CollectionConverters;

/** Hosts a stage in {@code transformWithState}. */
final class TransformHost extends StatefulProcessor<Row, InternalRow, InternalRow> {
  private static final long serialVersionUID = 1L;

  private final StageSpec spec;
  private final StageMetrics metrics;
  private transient StageRuntime runtime;
  private transient TransformStates states;

  TransformHost(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics, Conditions::load);
    states = new TransformStates(spec, getHandle());
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleInputRows(
      Row key, scala.collection.Iterator<InternalRow> rows, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    java.util.Iterator<InternalRow> input = CollectionConverters.asJava(rows);
    if (to == null) return CollectionConverters.asScala(runtime.pass(key, input));
    BatchContext context = states.context(to, times);
    return CollectionConverters.asScala(
        runtime.process(to, input, states.of(to, key, context, times), context));
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    if (states.index.owns(key)) {
      return CollectionConverters.asScala(
          new FiredRows(states.index.onTimer(key, states.now(times)), times));
    }
    if (states.ticks.owns(key)) {
      return CollectionConverters.asScala(
          new FiredRows(
              states.ticks.onTick(
                  expired.getExpiryTimeInMs(), times.getCurrentProcessingTimeInMs()),
              times));
    }
    return CollectionConverters.asScala(Collections.<InternalRow>emptyIterator());
  }

  /** What the timer of a key emits, nothing if the key is due at another time by now. */
  private java.util.Iterator<InternalRow> fire(TimerIndex.Due due, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(due.uid);
    if (to == null) return Collections.emptyIterator();
    BatchContext context = states.context(to, times);
    TransformStates.Key timed = states.of(to, StageKeys.of(due.uid, due.key), context, times);
    OptionalLong set = timed.get() == null ? OptionalLong.empty() : timed.timer();
    if (set.isEmpty() || set.getAsLong() != due.time) return Collections.emptyIterator();
    timed.fired(timed.now());
    return runtime.fire(to, timed, context);
  }

  /** What the timers of keys emit, a key at a time. */
  private final class FiredRows implements java.util.Iterator<InternalRow> {
    private final java.util.Iterator<TimerIndex.Due> keys;
    private final TimerValues times;
    private java.util.Iterator<InternalRow> rows = Collections.emptyIterator();

    FiredRows(java.util.Iterator<TimerIndex.Due> keys, TimerValues times) {
      this.keys = keys;
      this.times = times;
    }

    @Override
    public boolean hasNext() {
      while (!rows.hasNext()) {
        if (!keys.hasNext()) return false;
        rows = fire(keys.next(), times);
      }
      return true;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) throw new java.util.NoSuchElementException();
      return rows.next();
    }
  }
}
