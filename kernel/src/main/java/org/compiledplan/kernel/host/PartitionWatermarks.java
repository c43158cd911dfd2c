package org.compiledplan.kernel.host;

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
 * The watermarks of one source, each of whose partitions has its own; the source's is the least of
 * them, as in Flink.
 *
 * <p>Before a micro-batch the driver says how far the partitions are ({@link #begin}). The tasks go
 * on from there: a row carries the least of what the rows before it in its partition have reached
 * and of what the other partitions had reached before the micro-batch, so that it carries the same
 * when the micro-batch runs again. Afterwards the driver asks how far they came ({@link #reached}).
 */
public final class PartitionWatermarks {
  /** Of a partition that has given no watermark. */
  static final long NONE = Long.MIN_VALUE;

  /** How often a partition tells that rows come, in ms. */
  static final long BEAT_MS = 100;

  /** The property of a task that has the number of its batch. */
  static final String BATCH_ID = "streaming.sql.batchId";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final PartitionsReached reached = new PartitionsReached();
  private final boolean everyRow;
  private final boolean beats;

  /** Where each partition stands before the micro-batch; what is not in it stands nowhere. */
  private volatile HashMap<String, Long> marks = new HashMap<>();

  private volatile long source = NONE;

  private PartitionWatermarks(boolean everyRow, boolean beats) {
    this.everyRow = everyRow;
    this.beats = beats;
  }

  /**
   * For a source.
   *
   * @param everyRow whether each row may move the watermark; else one that is more than 200 ms
   *     ahead
   * @param beats whether {@link #moved} tells of rows that move nothing, too, every {@link
   *     #BEAT_MS}: where silence counts
   */
  public static PartitionWatermarks of(SparkSession session, boolean everyRow, boolean beats) {
    PartitionWatermarks watermarks = new PartitionWatermarks(everyRow, beats);
    session.sparkContext().register(watermarks.reached);
    return watermarks;
  }

  /**
   * The watermark at which each row leaves the source, in ms.
   *
   * @param own what the row's time makes of it, or null
   * @param place the name of the row's partition; null for what is no row of the source
   */
  public Column ofRow(Column own, Column place) {
    return column(own, place, Gives.BEFORE);
  }

  /**
   * The watermark of its partition where a row has moved it, in ms, else null: by more than 200 ms,
   * or when the last move is 200 ms ago. Where silence counts, also when the last time is {@link
   * #BEAT_MS} ago; {@code Long.MIN_VALUE} where there is none yet.
   */
  public Column moved(Column own, Column place) {
    return column(own, place, Gives.MOVED);
  }

  /** What CURRENT_WATERMARK gives for each row: null before there is a watermark in this run. */
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
   * A micro-batch begins.
   *
   * @param json an object: {@code "partitions"}, by name the watermark that each has reached, or
   *     null; {@code "source"}, that of the source in this run, or null
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

  /** The same in real-time mode, where nobody asks for that of the source. */
  void begin(Map<String, Long> partitions) {
    marks = new HashMap<>(partitions);
  }

  private static long millis(JsonNode value) {
    return value.isNull() ? NONE : value.longValue();
  }

  /** The partitions that gave rows in a micro-batch, with the watermarks these made, or null. */
  public String reached(long batch) {
    ObjectNode report = JSON.createObjectNode();
    reached
        .of(batch)
        .forEach((place, mark) -> report.put(place, mark == NONE ? null : Long.valueOf(mark)));
    return report.toString();
  }

  /** The same, {@code NONE} where they made none. */
  Map<String, Long> reachedIn(long batch) {
    return reached.of(batch);
  }

  private static final class OfRow implements UDF2<Long, String, Long> {
    private final PartitionsReached reached;
    private final Gives gives;
    private final boolean everyRow;
    private final boolean beats;
    private final transient PartitionWatermarks driver;

    /** What the driver knew when the task was sent. */
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

    /** The least of the other partitions; the largest number where there are none. */
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

    /** What the driver gets to know: the largest watermark of the micro-batch. */
    private final long[] cell;

    private long emitted;

    /** When it was moved last, by the clock, and the largest watermark since. */
    private long movedAt;

    private long most = NONE;

    /** When it was told of last. */
    private long toldAt;

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
      if (own != null) most = Math.max(most, own);
      if (most > Math.max(emitted, 0) && now - movedAt >= RowWatermark.INTERVAL) emitted = most;
      if (emitted != was) movedAt = now;
      else if (!beats || now - toldAt < BEAT_MS) return null;
      toldAt = now;
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
