package org.compiledplan.kernel.host.watermarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * The watermarks of one source with a watermark per partition; the source's watermark is the least
 * of them, as in Flink.
 *
 * <p>The driver sets the partitions' watermarks before a micro-batch ({@link #begin}). Tasks
 * continue from there: a row carries the least of what the earlier rows of its partition have
 * reached and of what the other partitions had reached before the micro-batch, so that a replayed
 * micro-batch yields the same watermarks. Afterwards the driver collects the new watermarks ({@link
 * #reached}).
 */
public final class PartitionWatermarks {
  /** Watermark of a partition that has not had one. */
  static final long NONE = Long.MIN_VALUE;

  /** Interval in ms at which a partition with rows reports that it is active. */
  static final long BEAT_MS = 100;

  /** Task property with the batch number. */
  static final String BATCH_ID = "streaming.sql.batchId";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final PartitionsReached reached = new PartitionsReached();
  private final boolean everyRow;
  private final boolean beats;

  /** Watermark per partition before the micro-batch; absent partitions have none. */
  private volatile HashMap<String, Long> marks = new HashMap<>();

  private volatile long source = NONE;

  private PartitionWatermarks(boolean everyRow, boolean beats) {
    this.everyRow = everyRow;
    this.beats = beats;
  }

  /**
   * Creates the watermarks of a source.
   *
   * @param everyRow true if each row may advance the watermark; otherwise only a row that is more
   *     than 200 ms ahead
   * @param beats true if {@link #moved} also reports rows that do not advance the watermark, every
   *     {@link #BEAT_MS}: required for idleness
   */
  public static PartitionWatermarks of(SparkSession session, boolean everyRow, boolean beats) {
    PartitionWatermarks watermarks = new PartitionWatermarks(everyRow, beats);
    session.sparkContext().register(watermarks.reached);
    return watermarks;
  }

  /**
   * The watermark at which each row leaves the source, in ms.
   *
   * @param own watermark derived from the row's time, or null
   * @param place name of the row's partition; null if it is not a row of the source
   */
  public Column ofRow(Column own, Column place) {
    return column(own, place, Gives.BEFORE);
  }

  /**
   * The watermark of its partition in ms if a row has advanced it, else null: by more than 200 ms,
   * or 200 ms after the last advance. With idleness also {@link #BEAT_MS} after the last report;
   * {@code Long.MIN_VALUE} if there is none yet.
   *
   * @param own watermark derived from the row's time, or null
   * @param place name of the row's partition
   */
  public Column moved(Column own, Column place) {
    return column(own, place, Gives.MOVED);
  }

  /**
   * The result of CURRENT_WATERMARK per row: null before the first watermark of this run.
   *
   * @param own watermark derived from the row's time, or null
   * @param place name of the row's partition
   */
  public Column current(Column own, Column place) {
    return column(own, place, Gives.CURRENT);
  }

  private enum Gives {
    BEFORE,
    CURRENT,
    MOVED
  }

  private Column column(Column own, Column place, Gives gives) {
    return functions
        .udf(new OfRow(this, gives), DataTypes.LongType)
        .asNondeterministic()
        .apply(own, place);
  }

  /**
   * Starts a micro-batch.
   *
   * @param json an object: {@code "partitions"}, the watermark per partition name in ms, or null;
   *     {@code "source"}, the source's watermark in this run in ms, or null
   */
  public void begin(String json) throws JsonProcessingException {
    JsonNode description = JSON.readTree(json);
    HashMap<String, Long> partitions = new HashMap<>();
    description
        .get("partitions")
        .properties()
        .forEach(entry -> partitions.put(entry.getKey(), millis(entry.getValue())));
    marks = partitions;
    source = millis(description.get("source"));
  }

  /** Starts a batch in real-time mode, which does not use the source's watermark. */
  void begin(Map<String, Long> partitions) {
    marks = new HashMap<>(partitions);
  }

  private static long millis(JsonNode value) {
    return value.isNull() ? NONE : value.longValue();
  }

  /**
   * Returns the partitions that had rows in a micro-batch as JSON, with the watermarks that these
   * reached in ms, or null.
   */
  public String reached(long batch) {
    ObjectNode report = JSON.createObjectNode();
    reached
        .of(batch)
        .forEach((place, mark) -> report.put(place, mark == NONE ? null : Long.valueOf(mark)));
    return report.toString();
  }

  /** Same as {@link #reached} as a map, {@code NONE} without a watermark. */
  Map<String, Long> reachedIn(long batch) {
    return reached.of(batch);
  }

  private static final class OfRow implements UDF2<Long, String, Long> {
    private final PartitionsReached reached;
    private final Gives gives;
    private final boolean everyRow;
    private final boolean beats;
    private final transient PartitionWatermarks driver;

    /** The driver's watermarks when the task was sent. */
    private HashMap<String, Long> marks;

    private long source;

    private transient long task;
    private transient Map<String, Running> running;
    private transient String place;
    private transient Running at;

    OfRow(PartitionWatermarks driver, Gives gives) {
      this.driver = driver;
      this.reached = driver.reached;
      this.everyRow = driver.everyRow;
      this.beats = driver.beats;
      this.gives = gives;
    }

    @Override
    public Long call(Long own, String of) {
      if (of == null) return NONE;
      TaskContext context = TaskContext.get();
      long now = context == null ? 0 : context.taskAttemptId() + 1;
      if (now != task || !of.equals(place)) find(of, now, context);
      if (gives == Gives.MOVED) return at.moved(own, everyRow, beats, System.currentTimeMillis());
      long before = at.before();
      at.read(own, everyRow);
      if (gives == Gives.BEFORE) return before;
      long watermark = Math.max(before, source);
      return watermark == NONE ? null : Long.valueOf(watermark);
    }

    private void find(String of, long now, TaskContext context) {
      if (now != task) {
        task = now;
        running = new HashMap<>();
      }
      place = of;
      at =
          running.computeIfAbsent(
              of,
              name -> {
                String id = context == null ? null : context.getLocalProperty(BATCH_ID);
                long[] cell = reached.cell(id == null ? 0 : Long.parseLong(id), name);
                return new Running(marks.getOrDefault(name, NONE), others(name), cell);
              });
    }

    /** The least watermark of the other partitions; {@code Long.MAX_VALUE} if there are none. */
    private long others(String name) {
      long least = Long.MAX_VALUE;
      for (Map.Entry<String, Long> mark : marks.entrySet()) {
        if (!mark.getKey().equals(name)) least = Math.min(least, mark.getValue());
      }
      return least;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
      if (driver != null) {
        marks = driver.marks;
        source = driver.source;
      }
      out.defaultWriteObject();
    }
  }

  private static final class Running {
    private final long others;

    /** Reported to the driver: the largest watermark of the micro-batch. */
    private final long[] cell;

    private long emitted;

    /** Clock time of the last advance, and the largest watermark since. */
    private long movedAt;

    private long largest = NONE;

    /** Clock time of the last report. */
    private long reportedAt;

    Running(long mark, long others, long[] cell) {
      this.emitted = mark;
      this.others = others;
      this.cell = cell;
    }

    long before() {
      return emitted == NONE ? NONE : Math.min(emitted, others);
    }

    Long moved(Long own, boolean everyRow, boolean beats, long now) {
      long was = emitted;
      read(own, everyRow);
      if (own != null) largest = Math.max(largest, own);
      if (largest > Math.max(emitted, 0) && now - movedAt >= RowWatermark.INTERVAL)
        emitted = largest;
      if (emitted != was) movedAt = now;
      else if (!beats || now - reportedAt < BEAT_MS) return null;
      reportedAt = now;
      return emitted;
    }

    void read(Long own, boolean everyRow) {
      if (own == null) return;
      if (own > cell[0]) cell[0] = own;
      // As in Flink there is no watermark before 1970.
      long least = Math.max(emitted, 0) + (everyRow ? 0 : RowWatermark.INTERVAL);
      if (own > least) emitted = own;
    }
  }
}
