package org.compiledplan.kernel.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.SparkSession;

/**
 * The watermarks of a query in real-time mode, in the driver: what the partitions of its sources
 * have reached is part of the position of the source of ticks, so that Spark writes it down with
 * each batch; and Spark's own watermark is moved, when a batch ends, to where all tasks of all
 * stages are.
 */
public final class RealTimeWatermarks {
  private static final Map<String, RealTimeWatermarks> OPEN = new ConcurrentHashMap<>();

  /**
   * How long a partition counts as heard when a run starts: tasks need that to begin reading, and
   * nobody is silent before.
   */
  private static final long BEGINNING_MS = 1000;

  private static final String FIRST_STAGE = "1/";

  private record Source(
      String name, int partitions, long timeout, PartitionWatermarks watermarks) {}

  private final String id = UUID.randomUUID().toString();
  private final SparkSession session;
  private final StageWatermarks.Control control;
  private final int partitions;
  private final int stages;
  private final List<Source> sources = new ArrayList<>();

  /** Before the first batch. */
  private String base = "{}";

  /** Before the batch that runs. */
  private WatermarkPosition position = WatermarkPosition.of(null);

  /** Of the last batch in this run, see {@link StageWatermarks#figure}. */
  private Map<String, Long> figures = Map.of();

  private RealTimeWatermarks(
      SparkSession session, StageWatermarks.Control control, int partitions, int stages) {
    this.session = session;
    this.control = control;
    this.partitions = partitions;
    this.stages = stages;
  }

  /**
   * Of a query.
   *
   * @param op what the head says of control rows
   * @param tick what it says of ticks
   * @param every how many ms there are between two ticks
   * @param partitions of each stage
   */
  public static RealTimeWatermarks open(
      SparkSession session, String op, String tick, long every, int partitions, int stages) {
    PartitionsReached reached = new PartitionsReached(), figures = new PartitionsReached();
    session.sparkContext().register(reached);
    session.sparkContext().register(figures);
    RealTimeWatermarks watermarks =
        new RealTimeWatermarks(
            session,
            new StageWatermarks.Control(op, tick, every, reached, figures),
            partitions,
            stages);
    OPEN.put(watermarks.id, watermarks);
    return watermarks;
  }

  public static RealTimeWatermarks of(String id) {
    return OPEN.get(id);
  }

  public String id() {
    return id;
  }

  public void close() {
    OPEN.remove(id);
  }

  /**
   * Adds a source; its number is how many were added before.
   *
   * @param name as the checkpoint knows it
   * @param partitions how many it has
   * @param idle after how many ms without rows a partition no longer counts; 0 for never
   */
  public void add(String name, int partitions, long idle, PartitionWatermarks watermarks) {
    // Tasks tell of rows that often: a silence that is told of began so much earlier at most.
    long timeout = idle == 0 ? 0 : idle + PartitionWatermarks.BEAT_MS;
    sources.add(new Source(name, partitions, timeout, watermarks));
  }

  /**
   * What the partitions had reached before the first batch of this mode.
   *
   * @param json in the form of a position, see {@link WatermarkPosition}
   */
  public void base(String json) {
    base = json;
  }

  /** The keys that take control rows to the partitions of a stage. */
  public String[] keys() {
    return PartitionKeys.of(control.op(), partitions);
  }

  /** What a stage does with them; the first has number 1. */
  StageWatermarks stage(int number) {
    long[] timeouts =
        number == 1 ? sources.stream().mapToLong(Source::timeout).toArray() : new long[1];
    String[] next = number == stages ? new String[0] : keys();
    return new StageWatermarks(control, number, timeouts, next);
  }

  /**
   * A batch begins; what is known of the sources and their partitions.
   *
   * @param json the position of the source of ticks; what none of this class wrote says nothing
   */
  public List<Known> begin(String json) {
    position = WatermarkPosition.of(json);
    if (position == null) position = WatermarkPosition.of(base);
    if (position == null) position = WatermarkPosition.of(null);
    List<Known> known = new ArrayList<>();
    for (int at = 0; at < sources.size(); at++) {
      Source source = sources.get(at);
      WatermarkPosition.Marks marks = position.source(source.name);
      // Partitions that are gone would stand for some that have told nothing.
      if (marks.partitions().size() > source.partitions) marks.partitions().clear();
      source.watermarks.begin(marks.partitions());
      known.add(Known.group(at, source.partitions, marks.watermark()));
      known.add(Known.member(at, null, PartitionWatermarks.NONE, silence(at, null)));
      for (Map.Entry<String, Long> partition : marks.partitions().entrySet())
        known.add(
            Known.member(
                at, partition.getKey(), partition.getValue(), silence(at, partition.getKey())));
    }
    known.add(Known.all(position.watermark()));
    return known;
  }

  /** For how many ms a partition had been silent when the last batch ended. */
  private long silence(int source, String partition) {
    return -figures.getOrDefault(
        StageWatermarks.figure(Known.MEMBER, source, partition), BEGINNING_MS);
  }

  /**
   * All tasks of a batch have ended, and nothing is written down yet: moves Spark's watermark.
   *
   * @return the position of the source of ticks
   */
  public String end() {
    long batch =
        Long.parseLong(session.sparkContext().getLocalProperty(PartitionWatermarks.BATCH_ID));
    figures = control.figures().of(batch);
    for (int at = 0; at < sources.size(); at++) {
      Source source = sources.get(at);
      long reached =
          figures.getOrDefault(
              StageWatermarks.figure(Known.GROUP, at, null), PartitionWatermarks.NONE);
      position.move(source.name, reached, source.watermarks.reachedIn(batch));
    }
    Map<String, Long> watermarks = control.reached().of(batch);
    watermarks.forEach(
        (task, mark) -> {
          if (task.startsWith(FIRST_STAGE)) position.move(mark);
        });
    if (watermarks.size() == stages * partitions) {
      long least =
          watermarks.values().stream().mapToLong(Long::longValue).min().orElse(Long.MIN_VALUE);
      if (least != PartitionWatermarks.NONE) QueryWatermark.move(session, least);
    }
    long now = System.currentTimeMillis();
    return position.json(
        (name, partition) -> {
          long silence = silence(number(name), partition);
          return now - Math.max(0, silence);
        });
  }

  private int number(String name) {
    int at = 0;
    while (at < sources.size() && !sources.get(at).name.equals(name)) at++;
    return at;
  }
}
