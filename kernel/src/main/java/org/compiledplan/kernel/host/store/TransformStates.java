package org.compiledplan.kernel.host.store;

import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.versions.SparkGate;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.TimedState;

/**
 * The state of a stage in {@code transformWithState}: one variable for all keys, and the lists of
 * due keys. Spark's own TTL is not used.
 */
public final class TransformStates {
  private static final String VARIABLE = "state";

  /** Keys that are due in the time domain of the stage's Spark timers. */
  public final TimerIndex index;

  /** Keys that are due by processing time in a stage whose timers fire by watermark. */
  public final TickIndex ticks;

  private final StageSpec spec;
  private final StatefulProcessorHandle handle;
  private final ValueState<byte[]> state;

  /** Null if puts are written immediately. */
  private final StateCache<Key> cache;

  private final KnownStore known;

  /** The watermark from control rows; none in micro-batches. */
  private long upstreamWatermark = Long.MIN_VALUE;

  /**
   * @param cache keys whose state is written when the cache evicts or closes them; null for no
   *     cache
   */
  public TransformStates(StageSpec spec, StatefulProcessorHandle handle, StateCache<Key> cache) {
    this.spec = spec;
    this.handle = handle;
    this.cache = cache;
    known = KnownStore.of(handle);
    state = SparkGate.SPARK.variable(VARIABLE, handle, known.continues());
    index = new TimerIndex(handle, state);
    ticks = new TickIndex(handle, state);
  }

  public BatchContext context(StageRuntime.Hosted to, TimerValues times) {
    return new BatchContext(
        times.getCurrentProcessingTimeInMs(),
        spec.hasWatermark() ? to.watermark(watermark(times)) : Long.MIN_VALUE);
  }

  private long watermark(TimerValues times) {
    return Math.max(upstreamWatermark, times.getCurrentWatermarkInMs());
  }

  /** Time in ms up to which timers fire in this batch. */
  public long now(TimerValues times) {
    return spec.eventTime ? watermark(times) : times.getCurrentProcessingTimeInMs();
  }

  /** Sets the watermark from control rows; returns false if it is not later than the last. */
  public boolean move(long watermark) {
    if (watermark <= upstreamWatermark) return false;
    upstreamWatermark = watermark;
    return true;
  }

  /**
   * Returns true if the rows of the batch are processed: Spark fires timers once more and commits.
   */
  public boolean isLast() {
    return SparkGate.SPARK.isProcessed(handle);
  }

  /** The keys due by the watermark, and those that become due meanwhile. */
  public Iterator<TimerIndex.Due> due(TimerValues times) {
    long now = now(times);
    return index.withMore(new DueTimers(handle, index, now), now);
  }

  public Key of(StageRuntime.Hosted to, Row key, BatchContext context, TimerValues times) {
    long end =
        spec.eventTime ? times.getCurrentWatermarkInMs() : times.getCurrentProcessingTimeInMs();
    Key entry =
        cache == null
            ? new Key(to, key)
            : cache.of(to.uid, StageKeys.key(key), () -> new Key(to, key.copy()));
    entry.open(context, now(times), end);
    return entry;
  }

  public final class Key extends TimedState {
    private final StageRuntime.Hosted to;
    private final Row key;
    private BatchContext context;
    private long now;
    private long end;

    /** True if it is known that the key has no state. */
    private boolean isNew;

    private Key(StageRuntime.Hosted to, Row key) {
      this.to = to;
      this.key = key;
    }

    private void open(BatchContext at, long timersUpTo, long past) {
      context = at;
      now = timersUpTo;
      end = past;
      reopen();
    }

    @Override
    protected boolean writesLater() {
      return cache != null && cache.isOpen();
    }

    @Override
    protected String uid() {
      return to.uid;
    }

    @Override
    protected byte[] load() {
      isNew = !known.mayHave(to.uid, StageKeys.key(key));
      if (isNew) return null;
      byte[][] loaded = new byte[1][];
      StageKeys.within(key, () -> loaded[0] = state.get());
      return loaded[0];
    }

    @Override
    protected void store(byte[] bytes) {
      known.written(to.uid, StageKeys.key(key), isNew);
      isNew = false;
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

    /**
     * Returns true if its timers fire by processing time in a stage whose timers fire by watermark.
     */
    private boolean ticks() {
      return spec.eventTime && !to.eventTime;
    }

    /** Time in ms up to which timers of the key fire in this batch. */
    public long now() {
      return ticks() ? context.processingTime() : now;
    }

    @Override
    protected void setTimer(long time) {
      (ticks() ? ticks : index).add(to.uid, StageKeys.key(key), time, now(), end);
    }

    @Override
    protected void dropTimer(long time) {
      // The key stays in the list, which is checked against the time stored with the key.
    }

    @Override
    protected void countEntries(int delta) {
      to.counts.addStateRows(delta);
    }

    @Override
    protected void countBytes(int delta) {
      to.counts.addStateBytes(delta);
    }
  }
}
