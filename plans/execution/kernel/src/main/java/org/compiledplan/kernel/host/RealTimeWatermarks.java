package org.compiledplan.kernel.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What is known of a partition of a source before a batch. */
  public record Known(int source, long partitions, String partition, long watermark)
      implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
  }

  private record Source(String name, int partitions, PartitionWatermarks watermarks) {}

  private final String id = UUID.randomUUID().toString();
  private final SparkSession session;
  private final String op;
  private final int partitions;
  private final int stages;
  private final List<Source> sources = new ArrayList<>();
  private final PartitionsReached reached = new PartitionsReached();

  /** By source and partition, before the first batch. */
  private String base = "{}";

  /** By source and partition, before the batch that runs. */
  private Map<String, TreeMap<String, Long>> marks = new LinkedHashMap<>();

  private RealTimeWatermarks(SparkSession session, String op, int partitions, int stages) {
    this.session = session;
    this.op = op;
    this.partitions = partitions;
    this.stages = stages;
  }

  /**
   * Of a query.
   *
   * @param op what the head says of control rows
   * @param partitions of each stage
   */
  public static RealTimeWatermarks open(
      SparkSession session, String op, int partitions, int stages) {
    RealTimeWatermarks made = new RealTimeWatermarks(session, op, partitions, stages);
    session.sparkContext().register(made.reached);
    OPEN.put(made.id, made);
    return made;
  }

  /** The one with an id. */
  public static RealTimeWatermarks of(String id) {
    return OPEN.get(id);
  }

  public String id() {
    return id;
  }

  /** Forgets it. */
  public void close() {
    OPEN.remove(id);
  }

  /**
   * Adds a source; its number is how many were added before.
   *
   * @param name as the checkpoint knows it
   * @param partitions how many it has
   */
  public void add(String name, int partitions, PartitionWatermarks watermarks) {
    sources.add(new Source(name, partitions, watermarks));
  }

  /**
   * What the partitions had reached before the first batch of this mode.
   *
   * @param json by source and partition, ms
   */
  public void base(String json) {
    base = json;
  }

  /** The keys that take control rows to the partitions of a stage. */
  public String[] keys() {
    return PartitionKeys.of(op, partitions);
  }

  /** What a stage does with them; the first has number 1. */
  StageWatermarks stage(int number) {
    int groups = number == 1 ? sources.size() : 1;
    String[] next = number == stages ? new String[0] : keys();
    return new StageWatermarks(op, String.valueOf(number), groups, next, reached);
  }

  /**
   * A batch begins; what is known of the partitions of the sources.
   *
   * @param position of the source of ticks; what none of this class wrote says nothing
   */
  public List<Known> begin(String position) {
    try {
      JsonNode given = JSON.readTree(position);
      if (!given.isObject()) given = JSON.readTree(base);
      marks = new LinkedHashMap<>();
      List<Known> known = new ArrayList<>();
      for (int at = 0; at < sources.size(); at++) {
        Source source = sources.get(at);
        TreeMap<String, Long> of = new TreeMap<>();
        given
            .path(source.name)
            .properties()
            .forEach(each -> of.put(each.getKey(), each.getValue().longValue()));
        // Partitions that are gone would stand for some that have told nothing.
        if (of.size() > source.partitions) of.clear();
        marks.put(source.name, of);
        ObjectNode told = JSON.createObjectNode();
        told.set("partitions", JSON.valueToTree(of));
        told.putNull("source");
        source.watermarks.begin(told.toString());
        for (Map.Entry<String, Long> each : of.entrySet())
          known.add(new Known(at, source.partitions, each.getKey(), each.getValue()));
      }
      return known;
    } catch (JsonProcessingException error) {
      throw new IllegalStateException("the position of ticks is no JSON: " + position, error);
    }
  }

  /**
   * All tasks of a batch have ended, and nothing is written down yet: moves Spark's watermark.
   *
   * @return the position of the source of ticks
   */
  public String end() {
    long batch =
        Long.parseLong(session.sparkContext().getLocalProperty(PartitionWatermarks.BATCH_ID));
    for (Source source : sources) {
      TreeMap<String, Long> of = marks.get(source.name);
      source
          .watermarks
          .reachedIn(batch)
          .forEach(
              (place, mark) -> {
                if (mark != PartitionWatermarks.NONE) of.merge(place, mark, Math::max);
              });
    }
    Map<String, Long> told = reached.of(batch);
    if (told.size() == stages * partitions) {
      long least = told.values().stream().mapToLong(Long::longValue).min().orElse(Long.MIN_VALUE);
      if (least != PartitionWatermarks.NONE) QueryWatermark.move(session, least);
    }
    return JSON.valueToTree(marks).toString();
  }
}
