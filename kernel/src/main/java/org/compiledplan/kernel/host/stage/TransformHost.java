package org.compiledplan.kernel.host.stage;

import java.util.Collections;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.host.runtime.BypassedRows;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.store.StateCache;
import org.compiledplan.kernel.host.store.TimerIndex;
import org.compiledplan.kernel.host.store.TransformStates;
import org.compiledplan.kernel.host.watermarks.StageWatermarks;
import org.compiledplan.kernel.operators.base.BatchContext;
import scala.jdk.javaapi.CollectionConverters;

/** Hosts a stage in {@code transformWithState}. */
final class TransformHost extends StatefulProcessor<Row, InternalRow, InternalRow> {
  private static final long TICK_MS = 100;

  private final StageSpec spec;
  private final StageMetrics metrics;

  /** Watermarks from control rows; null if Spark's own watermark is used. */
  private final StageWatermarks watermarks;

  /** Maximum size of a task's state cache in real-time mode, in bytes. */
  private final long cacheBytes;

  /** Identifies the host within its query. */
  private final String id = UUID.randomUUID().toString();

  private transient StageRuntime runtime;
  private transient TransformStates states;
  private transient StageWatermarks.Running running;

  /** Time of the last check for keys due by processing time in real-time mode. */
  private transient long ticked;

  TransformHost(StageSpec spec, StageMetrics metrics, StageWatermarks watermarks, long cacheBytes) {
    this.spec = spec;
    this.metrics = metrics;
    this.watermarks = watermarks;
    this.cacheBytes = cacheBytes;
  }

  /**
   * The bypass for rows of other stages; null if the host has to read them.
   *
   * @param fields number of fields of the struct in packed rows
   */
  BypassedRows bypassed(int fields) {
    boolean all = watermarks != null || spec.passThrough.length == 0;
    return all ? null : new BypassedRows(spec, fields);
  }

  /** The plan below it, with a notification of its end. */
  SparkPlan ending(SparkPlan input) {
    return input instanceof InputEnd ? input : new InputEnd(input, id);
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics, Conditions::load);
    StateCache<TransformStates.Key> cache = new StateCache<>(cacheBytes);
    boolean hooked = InputEnd.register(id, cache::close);
    states = new TransformStates(spec, getHandle(), hooked ? cache : null);
    running = null;
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleInputRows(
      Row key, scala.collection.Iterator<InternalRow> rows, TimerValues times) {
    java.util.Iterator<InternalRow> input = CollectionConverters.asJava(rows);
    String op = StageKeys.op(key);
    if (watermarks != null && op.equals(watermarks.op)) {
      return CollectionConverters.asScala(moved(running().take(spec, input), times));
    }
    if (watermarks != null && op.equals(watermarks.tick) && running().takesTicks()) {
      scala.collection.Iterator<InternalRow> fired =
          CollectionConverters.asScala(moved(running().tick(), times));
      return fired.concat(() -> CollectionConverters.asScala(runtime.pass(key, input)));
    }
    StageRuntime.Hosted to = runtime.operator(op);
    if (to == null) return CollectionConverters.asScala(runtime.pass(key, input));
    BatchContext context = states.context(to, times);
    return CollectionConverters.asScala(
        runtime.process(
            to, StageKeys.key(key), input, states.of(to, key, context, times), context));
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    if (states.index.owns(key)) {
      return CollectionConverters.asScala(
          new FiredRows(states.index.onTimer(key, states.now(times)), times));
    }
    if (states.ticks.owns(key)) {
      long now = times.getCurrentProcessingTimeInMs();
      if (watermarks != null && now - ticked < TICK_MS && !states.isLast()) {
        // In real-time mode a tick arrives with each row, and the lists would be written as often.
        states.ticks.reschedule(expired.getExpiryTimeInMs());
        return CollectionConverters.asScala(Collections.<InternalRow>emptyIterator());
      }
      ticked = now;
      return CollectionConverters.asScala(
          new FiredRows(states.ticks.onTick(expired.getExpiryTimeInMs(), now), times));
    }
    return CollectionConverters.asScala(Collections.<InternalRow>emptyIterator());
  }

  private StageWatermarks.Running running() {
    if (running == null) running = watermarks.start();
    return running;
  }

  /** Handles a new watermark: fires the timers due by it, then forwards it. */
  private java.util.Iterator<InternalRow> moved(long watermark, TimerValues times) {
    if (!states.move(watermark)) return Collections.emptyIterator();
    java.util.Iterator<InternalRow> fired = new FiredRows(states.due(times), times);
    return new java.util.Iterator<InternalRow>() {
      private java.util.Iterator<InternalRow> control;

      @Override
      public boolean hasNext() {
        if (control == null && fired.hasNext()) return true;
        if (control == null) control = running.controlRows(spec, watermark);
        return control.hasNext();
      }

      @Override
      public InternalRow next() {
        if (!hasNext()) throw new java.util.NoSuchElementException();
        return control == null ? fired.next() : control.next();
      }
    };
  }

  /** The rows that a key's timer emits, none if the key's due time has changed. */
  private java.util.Iterator<InternalRow> fire(TimerIndex.Due due, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(due.uid());
    if (to == null) return Collections.emptyIterator();
    BatchContext context = states.context(to, times);
    TransformStates.Key timed = states.of(to, StageKeys.of(due.uid(), due.key()), context, times);
    OptionalLong set = timed.isThere() ? timed.timer() : OptionalLong.empty();
    if (set.isEmpty() || set.getAsLong() != due.time()) return Collections.emptyIterator();
    timed.fired(timed.now());
    return runtime.fire(to, timed, context);
  }

  /** The rows that due keys emit, a key at a time. */
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
