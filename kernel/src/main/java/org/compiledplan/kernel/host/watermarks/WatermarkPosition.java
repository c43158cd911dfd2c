package org.compiledplan.kernel.host.watermarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongBiFunction;

/**
 * The watermarks of a query in a checkpoint, in ms: {@code {"mark": the query's, "sources": {name:
 * {"mark": the source's, "partitions": {name: [watermark, time of the last rows]}}}}}; null where
 * there is none.
 */
final class WatermarkPosition {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SOURCES = "sources";
  private static final String MARK = "mark";
  private static final String PARTITIONS = "partitions";

  static final class Marks {
    private long watermark = PartitionWatermarks.NONE;
    private final TreeMap<String, Long> partitions = new TreeMap<>();

    /** The source's watermark, {@code NONE} before the first. */
    long watermark() {
      return watermark;
    }

    /** The watermarks of the partitions that have one. */
    TreeMap<String, Long> partitions() {
      return partitions;
    }
  }

  private final TreeMap<String, Marks> sources = new TreeMap<>();
  private long watermark = PartitionWatermarks.NONE;

  /**
   * Parses a position.
   *
   * @param json null for an empty position
   * @return null if the JSON is not such a position
   */
  static WatermarkPosition of(String json) {
    WatermarkPosition position = new WatermarkPosition();
    if (json == null) return position;
    try {
      JsonNode root = JSON.readTree(json);
      if (!root.path(SOURCES).isObject()) return null;
      position.move(millis(root.path(MARK)));
      for (Map.Entry<String, JsonNode> entry : root.path(SOURCES).properties()) {
        Marks marks = position.source(entry.getKey());
        marks.watermark = millis(entry.getValue().path(MARK));
        for (Map.Entry<String, JsonNode> part : entry.getValue().path(PARTITIONS).properties()) {
          long mark = millis(part.getValue().path(0));
          if (mark != PartitionWatermarks.NONE) marks.partitions.put(part.getKey(), mark);
        }
      }
      return position;
    } catch (JsonProcessingException error) {
      throw new IllegalStateException("the position of ticks is no JSON: " + json, error);
    }
  }

  private static long millis(JsonNode value) {
    return value.isNumber() ? value.longValue() : PartitionWatermarks.NONE;
  }

  Marks source(String name) {
    return sources.computeIfAbsent(name, none -> new Marks());
  }

  /** The query's watermark, {@code NONE} before the first. */
  long watermark() {
    return watermark;
  }

  void move(long reached) {
    watermark = Math.max(watermark, reached);
  }

  /** Advances the watermarks of a source and its partitions. */
  void move(String name, long reached, Map<String, Long> partitions) {
    Marks marks = source(name);
    marks.watermark = Math.max(marks.watermark, reached);
    partitions.forEach(
        (partition, mark) -> {
          if (mark != PartitionWatermarks.NONE) marks.partitions.merge(partition, mark, Math::max);
        });
  }

  /**
   * Returns the JSON form.
   *
   * @param seen clock time in ms of the last rows of a source and partition
   */
  String json(ToLongBiFunction<String, String> seen) {
    ObjectNode root = JSON.createObjectNode();
    put(root, watermark);
    ObjectNode all = root.putObject(SOURCES);
    sources.forEach(
        (name, marks) -> {
          ObjectNode source = all.putObject(name);
          put(source, marks.watermark);
          ObjectNode parts = source.putObject(PARTITIONS);
          marks.partitions.forEach(
              (partition, mark) -> {
                ArrayNode pair = parts.putArray(partition);
                pair.add(mark).add(seen.applyAsLong(name, partition));
              });
        });
    return root.toString();
  }

  private static void put(ObjectNode to, long mark) {
    to.set(MARK, mark == PartitionWatermarks.NONE ? null : JSON.valueToTree(mark));
  }
}
