package org.compiledplan.kernel.state.seeding;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.streaming.ExpiredTimerInfo;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageRuntime;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.host.store.TimerIndex;
import org.compiledplan.kernel.host.store.TransformStates;
import org.compiledplan.kernel.operators.base.BatchContext;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Writes the initial state of a stage that {@code TransformHost} continues. No operator is called:
 * entries that are already due wait for the first micro-batch of the stage itself.
 */
final class TransformSeed extends StatefulProcessor<Row, InternalRow, InternalRow> {
  private final StageSpec spec;
  private final StageMetrics metrics;

  /** The query's watermark at which the stage continues. */
  private final long watermark;

  private transient StageRuntime runtime;
  private transient TransformStates states;

  TransformSeed(StageSpec spec, StageMetrics metrics, long watermark) {
    this.spec = spec;
    this.metrics = metrics;
    this.watermark = watermark;
  }

  @Override
  public void init(OutputMode outputMode, TimeMode timeMode) {
    runtime = new StageRuntime(spec, metrics, StoredState::condition);
    states = new TransformStates(spec, getHandle(), null);
  }

  @Override
  public scala.collection.Iterator<InternalRow> handleInputRows(
      Row key, scala.collection.Iterator<InternalRow> rows, TimerValues times) {
    StageRuntime.Hosted to = runtime.operator(StageKeys.op(key));
    Iterator<InternalRow> input = CollectionConverters.asJava(rows);
    if (to == null) return CollectionConverters.asScala(SeedRows.pass(key, input));
    BatchContext context =
        new BatchContext(times.getCurrentProcessingTimeInMs(), to.watermark(watermark));
    TransformStates.Key state = states.of(to, key, context, times);
    SeedRows.store(to, key, input, state, context, state.now());
    return none();
  }

  /** Writes the lists of keys; none of their keys is due, see {@code TimedState.begin}. */
  @Override
  public scala.collection.Iterator<InternalRow> handleExpiredTimer(
      Row key, TimerValues times, ExpiredTimerInfo expired) {
    Iterator<TimerIndex.Due> due = Collections.emptyIterator();
    if (states.index.owns(key)) due = states.index.onTimer(key, states.now(times));
    if (states.ticks.owns(key)) {
      due = states.ticks.onTick(expired.getExpiryTimeInMs(), times.getCurrentProcessingTimeInMs());
    }
    if (due.hasNext()) {
      throw new IllegalStateException(
          "a timer of operator " + due.next().uid() + " fires while its state is written");
    }
    return none();
  }

  private static scala.collection.Iterator<InternalRow> none() {
    return CollectionConverters.asScala(Collections.<InternalRow>emptyIterator());
  }
}
