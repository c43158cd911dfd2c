package org.compiledplan.kernel;

import java.util.Collections;
import java.util.OptionalLong;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
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
final class TransformHost extends StatefulProcessor<Row, InternalRow, InternalRow> {
  private static final long serialVersionUID = 1L;

  private final StageSpec spec;
  private final StageMetrics metrics;
  private transient StageRuntime runtime;
  private transient ValueState<byte[]> state;
  private transient TimerIndex index;
  private transient TickIndex ticks;

  TransformHost(StageSpec spec, StageMetrics metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics);
    state = getHandle().getValueState("state", Encoders.BINARY(), TTLConfig.NONE());
    index = new TimerIndex(getHandle(), state);
    ticks = new TickIndex(getHandle(), state);
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleInputRows(
      Row key, scala.collection.Iterator<InternalRow> rows, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    java.util.Iterator<InternalRow> input = CollectionConverters.asJava(rows);
    if (to == null) return CollectionConverters.asScala(runtime.pass(key, input));
    BatchContext context = context(to, times);
    return CollectionConverters.asScala(
        runtime.process(to, input, new State(to, key, context, now(times)), context));
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    if (index.owns(key)) {
      return CollectionConverters.asScala(new FiredRows(index.onTimer(key, now(times)), times));
    }
    if (ticks.owns(key)) {
      return CollectionConverters.asScala(new FiredRows(
          ticks.onTick(expired.getExpiryTimeInMs(), times.getCurrentProcessingTimeInMs()), times));
    }
    return CollectionConverters.asScala(Collections.<InternalRow>emptyIterator());
  }

  /** What the timer of a key emits, nothing if the key is due at another time by now. */
  private java.util.Iterator<InternalRow> fire(TimerIndex.Due due, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(due.uid);
    if (to == null) return Collections.emptyIterator();
    BatchContext context = context(to, times);
    State timed = new State(to, StageKeys.of(due.uid, due.key), context, now(times));
    OptionalLong set = timed.get() == null ? OptionalLong.empty() : timed.timer();
    if (set.isEmpty() || set.getAsLong() != due.time) return Collections.emptyIterator();
    timed.fired(timed.now());
    return runtime.fire(to, timed, context);
  }

  private BatchContext context(StageRuntime.Hosted to, TimerValues times) {
    return new BatchContext(
        times.getCurrentProcessingTimeInMs(),
        spec.hasWatermark() ? to.watermark(times.getCurrentWatermarkInMs()) : Long.MIN_VALUE);
  }

  /** Spark's timers up to this time fire in this batch. */
  private long now(TimerValues times) {
    return spec.eventTime ? times.getCurrentWatermarkInMs() : times.getCurrentProcessingTimeInMs();
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

  /** State of one key. */
  private final class State extends TimedState {
    private final StageRuntime.Hosted to;
    private final Row key;
    private final BatchContext context;
    private final long now;

    State(StageRuntime.Hosted to, Row key, BatchContext context, long now) {
      this.to = to;
      this.key = key;
      this.context = context;
      this.now = now;
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
      return to.eventTime ? to.delayed(expiry) : to.roundUp(expiry);
    }

    /** Whether its timers fire by processing time in a stage whose timers fire by watermark. */
    private boolean ticks() {
      return spec.eventTime && !to.eventTime;
    }

    /** Timers of the key up to this time fire in this batch. */
    long now() {
      return ticks() ? context.processingTime : now;
    }

    @Override
    protected void setTimer(long time) {
      (ticks() ? ticks : index).add(to.uid, StageKeys.key(key), time, now(), context.processingTime);
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
