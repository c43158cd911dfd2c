package org.compiledplan.kernel.host.plain;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.arrow.ArrowConverters$;
import org.apache.spark.sql.execution.exchange.Exchange;
import org.apache.spark.sql.execution.python.EvalPythonExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.runtime.InternalRows;
import org.compiledplan.kernel.host.runtime.OperatorCounts;
import org.compiledplan.kernel.host.runtime.StageHandle;
import org.compiledplan.kernel.host.runtime.StageMetrics;
import org.compiledplan.kernel.host.runtime.StageSpec;
import org.compiledplan.kernel.host.runtime.StageStates;
import org.compiledplan.kernel.host.spark.Plans;
import org.compiledplan.kernel.host.versions.SparkGate;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A plan that runs batch by batch in the caller's thread, for tests of programs: the projections
 * are those that a streaming query would compile, executed without jobs; the operators those of
 * {@code TransformHost}, with their state in memory.
 */
public final class PlainQuery {
  private static final AtomicLong TASKS = new AtomicLong(1L << 40);

  /** A part of a batch. */
  interface Step {
    void run(Batch batch);
  }

  /**
   * A batch.
   *
   * @param millis processing time in ms
   */
  record Batch(long millis, PlainMemory memory) {}

  private final SparkSession session;
  private PlainMemory memory;
  private final Map<String, PlainRows> sources = new HashMap<>();
  private final Map<String, StructType> schemas = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();
  private final List<PlainStage> stages = new ArrayList<>();
  private final List<StageMetrics> metrics = new ArrayList<>();
  private final List<Sink> sinks = new ArrayList<>();
  private final List<EventTimeWatermarkExec> watermarks = new ArrayList<>();
  private final Clock clock = new Clock();

  /** Creates a query without parts. */
  public PlainQuery(SparkSession session) {
    this.session = session;
  }

  /**
   * Starts, or starts again.
   *
   * @param memory the state to continue with, which the query changes
   */
  public void begin(PlainMemory memory) {
    this.memory = memory;
    for (EventTimeWatermarkExec source : watermarks) source.eventTimeStats().reset();
    for (Sink sink : sinks) sink.rows.clear();
    for (PlainStage stage : stages) stage.begin();
  }

  /**
   * Stores a state to begin with, with timers by the TTLs of its operator.
   *
   * @param bytes the operator's bytes, without timer
   * @param millis processing time in ms
   */
  public void store(String uid, String key, byte[] bytes, long millis) {
    Batch batch = new Batch(millis, memory);
    for (PlainStage stage : stages) stage.store(uid, key, bytes, batch);
  }

  /** The time of the batch, TIMESTAMP. */
  public Column now() {
    return functions.udf(clock, DataTypes.TimestampType).asNondeterministic().apply();
  }

  /** Adds a source. Returns its rows, empty unless {@link #run} gives some. */
  public Dataset<Row> source(String name, String schemaJson) {
    StructType schema = (StructType) DataType.fromJson(schemaJson);
    PlainRows rows = rows();
    sources.put(name, rows);
    schemas.put(name, schema);
    return rows.frame(session, schema);
  }

  /** Adds a stage. */
  public StageHandle stage(Dataset<Row> input, String specJson) {
    input.sparkSession().conf().set(InternalRows.NESTED_PRUNING, false);
    StageSpec spec = StageSpec.parse(specJson, input.schema());
    StageMetrics counters = new StageMetrics(session.sparkContext(), spec);
    PlainStage stage = new PlainStage(this, input, spec, counters);
    metrics.add(counters);
    steps.add(stage);
    stages.add(stage);
    Dataset<Row> output = stage.output().frame(session, spec.outputSchema);
    return new StageHandle(output, counters, StageStates.describe(spec));
  }

  /** Computes rows once per batch. Returns the rows for several uses. */
  public Dataset<Row> once(Dataset<Row> input) {
    RDD<InternalRow> from = planned(input);
    PlainRows to = rows();
    steps.add(batch -> to.set(computed(from)));
    return to.frame(session, input.schema());
  }

  /** Adds a sink of rows in the order in which {@link #run} returns them. */
  public void sink(Dataset<Row> rows) {
    Sink sink = new Sink(planned(rows), rows.schema());
    steps.add(sink);
    sinks.add(sink);
  }

  /**
   * Runs a batch over rows of some sources. Everything goes over the connection at once: a call
   * takes longer than most batches.
   *
   * @param names the sources, separated by commas
   * @param streams an Arrow stream of each, with its length before it
   * @param millis processing time in ms
   * @return the number of rows that came late, then for each sink, in the order in which they were
   *     added, an Arrow stream with its length before it: 0 for no rows
   */
  public byte[] run(String names, byte[] streams, long millis) {
    ByteBuffer in = ByteBuffer.wrap(streams);
    for (String name : names.isEmpty() ? new String[0] : names.split(",")) {
      byte[] arrow = new byte[in.getInt()];
      in.get(arrow);
      feed(name, arrow);
    }
    long before = late();
    run(millis);
    List<byte[]> taken = new ArrayList<>();
    int size = Long.BYTES;
    for (Sink sink : sinks) {
      taken.add(sink.take());
      size += Integer.BYTES + taken.get(taken.size() - 1).length;
    }
    ByteBuffer out = ByteBuffer.allocate(size).putLong(late() - before);
    for (byte[] arrow : taken) out.putInt(arrow.length).put(arrow);
    return out.array();
  }

  private long late() {
    long late = 0;
    for (StageMetrics stage : metrics) late += stage.late();
    return late;
  }

  private void feed(String source, byte[] arrow) {
    List<InternalRow> rows = new ArrayList<>();
    var stream = ArrowConverters$.MODULE$.fromIPCStream(arrow)._1();
    StructType schema = schemas.get(source);
    var copy = org.apache.spark.sql.catalyst.expressions.UnsafeProjection$.MODULE$.create(schema);
    while (stream.hasNext()) rows.add(copy.apply(stream.next()).copy());
    sources.get(source).set(rows);
  }

  private void run(long millis) {
    clock.millis = millis;
    Batch batch = new Batch(millis, memory);
    try {
      for (Step step : steps) step.run(batch);
    } finally {
      for (PlainRows rows : sources.values()) rows.set(List.of());
    }
    if (!watermarks.isEmpty()) memory.move(reached());
    for (StageMetrics stage : metrics) stage.forEach(PlainQuery::checkBalance);
  }

  private static void checkBalance(String uid, StageMetrics.Counters counters) {
    OperatorCounts counts = counters.counts;
    if (counts.unaccountedRows() == 0 && counts.unaccountedEntries() == 0) return;
    throw new IllegalStateException(
        "operator %s has %s rows and %s state entries that are not accounted for"
            .formatted(uid, counts.unaccountedRows(), counts.unaccountedEntries()));
  }

  /** The least of the sources' watermarks; 0 while one of them has none. */
  private long reached() {
    long least = Long.MAX_VALUE;
    for (EventTimeWatermarkExec source : watermarks) {
      var reached = source.eventTimeStats().value();
      least = Math.min(least, reached.count() > 0 ? reached.max() - source.delayMs() : 0);
    }
    return least;
  }

  PlainRows rows() {
    return new PlainRows(session.sparkContext());
  }

  /** The computation of rows. */
  RDD<InternalRow> planned(Dataset<Row> frame) {
    SparkPlan plan = Plans.of(frame).executedPlan();
    for (SparkPlan node : CollectionConverters.asJava(plan.collect(Nodes.ALL))) {
      if (node instanceof Exchange || node instanceof EvalPythonExec) {
        throw new UnsupportedOperationException(node.nodeName());
      }
      if (node instanceof EventTimeWatermarkExec watermark) watermarks.add(watermark);
    }
    return plan.execute();
  }

  /** Computes all rows of an RDD in this thread, each partition as a task of its own. */
  static List<InternalRow> computed(RDD<InternalRow> from) {
    List<InternalRow> all = new ArrayList<>();
    for (Partition part : from.partitions()) {
      TaskContextImpl task = SparkGate.SPARK.driverTask(TASKS.incrementAndGet());
      TaskContext$.MODULE$.setTaskContext(task);
      try {
        Iterator<InternalRow> rows = CollectionConverters.asJava(from.iterator(part, task));
        while (rows.hasNext()) all.add(rows.next().copy());
      } finally {
        task.markTaskCompleted(scala.Option.empty());
        TaskContext$.MODULE$.unset();
      }
    }
    return all;
  }

  /** All nodes of a plan. */
  private static final class Nodes
      extends scala.runtime.AbstractPartialFunction<SparkPlan, SparkPlan> {
    private static final Nodes ALL = new Nodes();

    @Override
    public boolean isDefinedAt(SparkPlan node) {
      return true;
    }

    @Override
    public <A extends SparkPlan, B> B applyOrElse(A node, scala.Function1<A, B> otherwise) {
      @SuppressWarnings("unchecked")
      B same = (B) node;
      return same;
    }
  }

  /** The time of the batch, as a function. */
  private static final class Clock implements UDF0<Instant> {
    private long millis;

    @Override
    public Instant call() {
      return Instant.ofEpochMilli(millis);
    }
  }

  /** The rows of a sink. */
  private static final class Sink implements Step {
    private final RDD<InternalRow> from;
    private final StructType schema;
    private final List<InternalRow> rows = new ArrayList<>();

    Sink(RDD<InternalRow> from, StructType schema) {
      this.from = from;
      this.schema = schema;
    }

    @Override
    public void run(Batch batch) {
      List<InternalRow> next = computed(from);
      next.sort(SinkOrder.of(schema));
      rows.addAll(next);
    }

    byte[] take() {
      if (rows.isEmpty()) return new byte[0];
      var stream =
          ArrowConverters$.MODULE$.toBatchWithSchemaIterator(
              CollectionConverters.asScala(new ArrayList<>(rows).iterator()),
              schema,
              Integer.MAX_VALUE,
              Integer.MAX_VALUE,
              "UTC",
              true,
              false);
      rows.clear();
      byte[] bytes = stream.next();
      stream.close();
      return bytes;
    }
  }
}
