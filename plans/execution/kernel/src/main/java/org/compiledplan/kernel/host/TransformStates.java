package org.compiledplan.kernel.host;

import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.operators.BatchContext;
import org.compiledplan.kernel.operators.TimedState;

/**
 * The state of a stage in {@code transformWithState}: one variable for all keys, and the lists of
 * keys that are due. Spark's own TTL is not used.
 */
final class TransformStates {
  private static final String VARIABLE = "state";

  /** Keys that are due by the time by which Spark's timers of the stage fire. */
  final TimerIndex index;

  /** Keys that are due by processing time in a stage whose timers fire by watermark. */
  final TickIndex ticks;

  private final StageSpec spec;
  private final ValueState<byte[]> state;

  TransformStates(StageSpec spec, StatefulProcessorHandle handle) {
    this.spec = spec;
    state = handle.getValueState(VARIABLE, Encoders.BINARY(), TTLConfig.NONE());
    index = new TimerIndex(handle, state);
    ticks = new TickIndex(handle, state);
  }

  /** What an operator knows of the batch. */
  BatchContext context(StageRuntime.Hosted to, TimerValues times) {
    return new BatchContext(
        times.getCurrentProcessingTimeInMs(),
        spec.hasWatermark() ? to.watermark(times.getCurrentWatermarkInMs()) : Long.MIN_VALUE);
  }

  /** Spark's timers up to this time fire in this batch. */
  long now(TimerValues times) {
    return spec.eventTime ? times.getCurrentWatermarkInMs() : times.getCurrentProcessingTimeInMs();
  }

  /** The state of one key. */
  Key of(StageRuntime.Hosted to, Row key, BatchContext context, TimerValues times) {
    return new Key(to, key, context, now(times));
  }

  /** State of one key. */
  final class Key extends TimedState {
    private final StageRuntime.Hosted to;
    private final Row key;
    private final BatchContext context;
    private final long now;

    private Key(StageRuntime.Hosted to, Row key, BatchContext context, long now) {
      this.to = to;
      this.key = key;
      this.context = context;
      this.now = now;
    }

    @Override
    protected String uid() {
      return to.uid;
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
      (ticks() ? ticks : index)
          .add(to.uid, StageKeys.key(key), time, now(), context.processingTime);
    }

    @Override
    protected void dropTimer(long time) {
      // The key stays in the list, which is checked against the time that is stored with the key.
    }

    @Override
    protected void countEntries(int delta) {
      to.counters.stateRows.add(delta);
    }

    @Override
    protected void countBytes(int delta) {
      to.counters.stateBytes.add(delta);
    }
  }
}
