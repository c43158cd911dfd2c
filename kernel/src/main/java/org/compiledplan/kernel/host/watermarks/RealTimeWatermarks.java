package org.compiledplan.kernel.host.watermarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.SparkSession;

/**
 * Driver side of the watermarks of a query in real-time mode: the watermarks of its sources'
 * partitions are part of the tick source's offset, so that Spark stores them with each batch; at
 * the end of a batch Spark's own watermark advances to the least watermark of all tasks of all
 * stages.
 */
public final class RealTimeWatermarks {
  private static final Map<String, RealTimeWatermarks> OPEN = new ConcurrentHashMap<>();

  /**
   * Time in ms during which a partition counts as active after the start of a run: tasks need it to
   * begin reading.
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

  /** Watermarks before the first batch of this mode, as JSON. */
  private String base = "{}";

  /** Watermarks before the current batch. */
  private WatermarkPosition position = WatermarkPosition.of(null);

  /** Figures of the last batch in this run, see {@link StageWatermarks#figure}. */
  private Map<String, Long> figures = Map.of();

  private RealTimeWatermarks(
      SparkSession session, StageWatermarks.Control control, int partitions, int stages) {
    this.session = session;
    this.control = control;
    this.partitions = partitions;
    this.stages = stages;
  }

  /**
   * Creates the watermarks of a query.
   *
   * @param op {@code op} of control rows
   * @param tick {@code op} of ticks
   * @param every interval of ticks in ms
   * @param partitions number of partitions of each stage
   * @param stages number of stages
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
   * Adds a source; sources are numbered in the order of these calls.
   *
   * @param name name of the source in the checkpoint
   * @param partitions number of partitions
   * @param idle idle timeout of a partition in ms; 0 for none
   * @param watermarks watermarks of its partitions
   */
  public void add(String name, int partitions, long idle, PartitionWatermarks watermarks) {
    // Tasks report rows at this interval: a reported silence began at most that much earlier.
    long timeout = idle == 0 ? 0 : idle + PartitionWatermarks.BEAT_MS;
    sources.add(new Source(name, partitions, timeout, watermarks));
  }

  /**
   * Sets the watermarks reached before the first batch of this mode.
   *
   * @param json in the format of an offset, see {@link WatermarkPosition}
   */
  public void base(String json) {
    base = json;
  }

  /** Returns the keys that route control rows to the partitions of a stage. */
  public String[] keys() {
    return PartitionKeys.of(control.op(), partitions);
  }

  /** The watermarks of a stage; the first has number 1. */
  public StageWatermarks stage(int number) {
    long[] timeouts =
        number == 1 ? sources.stream().mapToLong(Source::timeout).toArray() : new long[1];
    String[] next = number == stages ? new String[0] : keys();
    return new StageWatermarks(control, number, timeouts, next);
  }

  /**
   * Starts a batch; returns the known watermarks of the sources and their partitions.
   *
   * @param json offset of the tick source; offsets of other formats are ignored
   */
  public List<WatermarkRow> begin(String json) {
    position = WatermarkPosition.of(json);
    if (position == null) position = WatermarkPosition.of(base);
    if (position == null) position = WatermarkPosition.of(null);
    List<WatermarkRow> known = new ArrayList<>();
    for (int at = 0; at < sources.size(); at++) {
      Source source = sources.get(at);
      WatermarkPosition.Marks marks = position.source(source.name);
      // Removed partitions would be counted as partitions that have not sent a watermark.
      if (marks.partitions().size() > source.partitions) marks.partitions().clear();
      source.watermarks.begin(marks.partitions());
      known.add(WatermarkRow.group(at, source.partitions, marks.watermark()));
      known.add(WatermarkRow.member(at, null, PartitionWatermarks.NONE, silence(at, null)));
      for (Map.Entry<String, Long> partition : marks.partitions().entrySet())
        known.add(
            WatermarkRow.member(
                at, partition.getKey(), partition.getValue(), silence(at, partition.getKey())));
    }
    known.add(WatermarkRow.all(position.watermark()));
    return known;
  }

  /** Time in ms for which a partition had been silent at the end of the last batch. */
  private long silence(int source, String partition) {
    return -figures.getOrDefault(
        StageWatermarks.figure(WatermarkRow.MEMBER, source, partition), BEGINNING_MS);
  }

  /**
   * Ends a batch: advances Spark's watermark after all tasks have ended, before Spark stores
   * anything.
   *
   * @return the offset of the tick source
   */
  public String end() {
    long batch =
        Long.parseLong(session.sparkContext().getLocalProperty(PartitionWatermarks.BATCH_ID));
    figures = control.figures().of(batch);
    for (int at = 0; at < sources.size(); at++) {
      Source source = sources.get(at);
      long reached =
          figures.getOrDefault(
              StageWatermarks.figure(WatermarkRow.GROUP, at, null), PartitionWatermarks.NONE);
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
