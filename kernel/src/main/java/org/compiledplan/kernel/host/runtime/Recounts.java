package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.connector.read.streaming.SparkDataStream;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.StreamSourceAwareSparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.streaming.StreamingQuery;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The surplus in Spark's counters of micro-batches. Spark repeats a finished task whose output is
 * lost with its executor, and adds its counts again. Of the tasks of a partition in a micro-batch,
 * only the last one counts here; the counts of those before are the surplus.
 */
public final class Recounts extends SparkListener {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Spark's metric of rows, whose sum over the scans of a source is its progress. */
  private static final String METRIC = "numOutputRows";

  private static final String METRIC_TITLE = "number of output rows";

  /** Limit of the wait for the events of finished tasks. */
  private static final long SECONDS = 2;

  private static final Map<SparkContext, Recounts> BY_CONTEXT = new HashMap<>();

  /** The surplus of the operators' counters, by accumulator, since they exist. */
  private final Map<Long, long[]> ofOperators = new HashMap<>();

  /** The running micro-batches, by run of a query. */
  private final Map<String, Batch> batches = new HashMap<>();

  private final Map<Integer, Batch> byStage = new HashMap<>();

  /** The surplus of sources in finished micro-batches, which their reports take. */
  private final Map<String, Map<SparkDataStream, Long>> ofSources = new HashMap<>();

  Recounts() {}

  /** The counts of a micro-batch, by accumulator and partition. */
  private static final class Batch {
    final String id;
    final List<Integer> stages = new ArrayList<>();
    final Map<Long, Map<Integer, Object>> counts = new HashMap<>();
    final Map<Long, Long> surplus = new HashMap<>();

    Batch(String id) {
      this.id = id;
    }
  }

  /** Passed once all earlier events are. */
  private static final class Barrier extends CountDownLatch implements SparkListenerEvent {
    Barrier() {
      super(1);
    }

    @Override
    public boolean logEvent() {
      return false;
    }
  }

  /** The listener of a session. */
  static Recounts of(SparkContext context) {
    synchronized (BY_CONTEXT) {
      BY_CONTEXT.keySet().removeIf(SparkContext::isStopped);
      return BY_CONTEXT.computeIfAbsent(
          context,
          started -> {
            Recounts recounts = new Recounts();
            started.addSparkListener(recounts);
            return recounts;
          });
    }
  }

  /** Waits for the events of all tasks that have finished. */
  void settle(SparkContext context) {
    Barrier barrier = new Barrier();
    context.listenerBus().post(barrier);
    try {
      barrier.await(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins to recount the counts of an operator. */
  synchronized void watch(OperatorCounts counts) {
    ofOperators.put(counts.id(), counts.value());
  }

  /** The counts of an operator without their surplus. */
  public synchronized OperatorCounts settled(OperatorCounts counts) {
    return counts.without(ofOperators.getOrDefault(counts.id(), counts.none()));
  }

  /**
   * Returns the surplus of the sources of a query in a micro-batch, in the order of its progress
   * report, as a JSON array; it is empty for a micro-batch without a surplus. May be called once
   * per micro-batch.
   */
  public static String ofSources(StreamingQuery query, long batch) throws JsonProcessingException {
    StreamExecution execution = ((StreamingQueryWrapper) query).streamingQuery();
    SparkContext context = execution.sparkSession().sparkContext();
    Recounts recounts = of(context);
    recounts.settle(context);
    Map<SparkDataStream, Long> surplus = recounts.take(execution.runId() + "/" + batch);
    List<Long> result = new ArrayList<>();
    if (!surplus.isEmpty())
      for (SparkDataStream source : CollectionConverters.asJava(execution.sources().distinct()))
        result.add(surplus.getOrDefault(source, 0L));
    return JSON.writeValueAsString(result);
  }

  private synchronized Map<SparkDataStream, Long> take(String batch) {
    Map<SparkDataStream, Long> surplus = ofSources.remove(batch);
    return surplus == null ? Map.of() : surplus;
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart job) {
    Properties properties = job.properties();
    String number = properties.getProperty("streaming.sql.batchId");
    if (number == null) return;
    String run = properties.getProperty("spark.jobGroup.id"), id = run + "/" + number;
    Batch batch = batches.computeIfAbsent(run, begun -> new Batch(id));
    for (Object stage : CollectionConverters.asJava(job.stageIds())) {
      batch.stages.add((Integer) stage);
      byStage.put((Integer) stage, batch);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    Batch batch = byStage.get(task.stageId());
    if (batch == null || task.reason() != Success$.MODULE$) return;
    int partition = task.taskInfo().partitionId();
    for (AccumulableInfo info : CollectionConverters.asJava(task.taskInfo().accumulables())) {
      long[] surplus = ofOperators.get(info.id());
      Object update = info.update().getOrElse(() -> null);
      boolean isRead = update instanceof Long && info.name().contains(METRIC_TITLE);
      if (!(isRead || surplus != null && update instanceof long[])) continue;
      Object before =
          batch.counts.computeIfAbsent(info.id(), id -> new HashMap<>()).put(partition, update);
      if (before instanceof Long rows) batch.surplus.merge(info.id(), rows, Long::sum);
      if (before instanceof long[] counts) ofOperators.put(info.id(), sum(surplus, counts));
    }
  }

  /** The sum of two counts, of which the longer one has ages that the other one lacks. */
  private static long[] sum(long[] one, long[] another) {
    long[] sum = Arrays.copyOf(one, Math.max(one.length, another.length));
    for (int at = 0; at < another.length; at++) sum[at] += another[at];
    return sum;
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof Barrier barrier) barrier.countDown();
    if (event instanceof SparkListenerSQLExecutionEnd end
        && end.qe() instanceof IncrementalExecution execution) finish(execution);
  }

  private synchronized void finish(IncrementalExecution execution) {
    Batch batch = batches.remove(execution.runId().toString());
    if (batch == null) return;
    batch.stages.forEach(byStage::remove);
    if (batch.surplus.isEmpty()) return;
    Map<SparkDataStream, Long> surplus = new IdentityHashMap<>();
    for (SparkPlan scan : CollectionConverters.asJava(execution.executedPlan().collectLeaves())) {
      if (!(scan instanceof StreamSourceAwareSparkPlan aware) || aware.getStream().isEmpty())
        continue;
      Option<SQLMetric> metric = scan.metrics().get(METRIC);
      if (metric.isEmpty()) continue;
      long rows = batch.surplus.getOrDefault(metric.get().id(), 0L);
      surplus.merge(aware.getStream().get(), rows, Long::sum);
    }
    ofSources.put(batch.id, surplus);
  }
}
