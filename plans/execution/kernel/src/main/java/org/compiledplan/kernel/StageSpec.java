package org.compiledplan.kernel;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A stage's description, checked against the schema of its input. */
final class StageSpec implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String[] HEAD = {"op", "key", "port", "kind", "ord", "path", "watermark"};
  private static final String HEAD_DDL =
      "op STRING, key STRING, port INT, kind TINYINT, ord BIGINT, path BINARY, watermark BIGINT";
  /** Positions in {@link #head}, and of the head columns in the output. */
  static final int OP = 0;
  static final int KEY = 1;
  static final int PORT = 2;
  static final int KIND = 3;
  static final int ORD = 4;
  static final int PATH = 5;
  /** The last one, there in plans with event time only. */
  static final int WATERMARK = 6;

  /** One operator: its JSON, where its inputs are and what its output looks like. */
  static final class OperatorPart implements Serializable {
    private static final long serialVersionUID = 1L;
    final String uid;
    final String json;
    final int[] columns;
    final StructType[] inputs;
    final StructType output;
    /** The shortest TTL of its state entries in ms, 0 if nothing expires. */
    final long shortestTtl;
    /** How much the operator's watermark is behind the query's, in ms. */
    final long watermarkDelay;
    /** Whether its timers fire by watermark. */
    final boolean eventTime;

    OperatorPart(
        String uid, String json, int[] columns, StructType[] inputs, StructType output, long shortestTtl,
        long watermarkDelay, boolean eventTime) {
      this.uid = uid;
      this.json = json;
      this.columns = columns;
      this.inputs = inputs;
      this.output = output;
      this.shortestTtl = shortestTtl;
      this.watermarkDelay = watermarkDelay;
      this.eventTime = eventTime;
    }
  }

  final String name;
  final String host;
  final String timeMode;
  /** Whether timers fire by watermark. */
  final boolean eventTime;
  /** The columns of a row beside those that rows are grouped by. */
  final StructType inputSchema;
  final StructType outputSchema;
  /** Positions of the head columns in {@link #inputSchema}; op and key are not in it. */
  final int[] head;
  /** Positions of the pass-through columns in {@link #inputSchema}. */
  final int[] passThrough;
  final List<OperatorPart> operators = new ArrayList<>();

  private StageSpec(JsonNode json, StructType envelope) {
    name = json.path("name").asText("stage");
    host = json.path("host").asText("transformWithState");
    for (int i = 0; i < PORT; i++) position(envelope, HEAD[i]);
    StructType input = new StructType(Arrays.stream(envelope.fields())
        .filter(field -> !field.name().equals(HEAD[OP]) && !field.name().equals(HEAD[KEY]))
        .toArray(StructField[]::new));
    inputSchema = input;
    boolean hasWatermark = Arrays.asList(input.fieldNames()).contains(HEAD[WATERMARK]);
    head = new int[hasWatermark ? HEAD.length : WATERMARK];
    for (int i = PORT; i < head.length; i++) head[i] = position(input, HEAD[i]);
    List<StructField> output =
        new ArrayList<>(Arrays.asList(StructType.fromDDL(HEAD_DDL).fields()).subList(0, head.length));
    Set<String> uids = new LinkedHashSet<>();
    boolean expires = false;
    for (JsonNode node : json.path("operators")) {
      OperatorPart part = operator(node, input);
      if (!uids.add(part.uid)) throw new IllegalArgumentException("operator uid " + part.uid + " is used twice");
      operators.add(part);
      output.add(DataTypes.createStructField(required(node, "output"), part.output, true));
      expires |= part.shortestTtl > 0;
    }
    JsonNode passing = json.path("passThrough");
    passThrough = new int[passing.size()];
    for (int i = 0; i < passThrough.length; i++) {
      passThrough[i] = position(input, passing.get(i).asText());
      StructField field = input.apply(passThrough[i]);
      output.add(DataTypes.createStructField(field.name(), SparkTypes.nullable(field.dataType()), true));
    }
    outputSchema = DataTypes.createStructType(output);
    String mode = json.path("timeMode").asText("auto");
    timeMode = mode.equals("auto") ? (expires ? "processing" : "none") : mode;
    eventTime = timeMode.equals("event");
    if (eventTime && !hasWatermark) {
      throw new IllegalArgumentException("stage " + name + ": event time needs the column " + HEAD[WATERMARK]);
    }
    for (OperatorPart part : operators) {
      if (part.eventTime && !eventTime) {
        throw new IllegalArgumentException("stage " + name + ": operator " + part.uid + " needs time mode event");
      }
    }
  }

  /** Whether rows carry the watermark at which they arrive. */
  boolean hasWatermark() {
    return head.length > WATERMARK;
  }

  static StageSpec parse(String json, StructType input) {
    try {
      return new StageSpec(new ObjectMapper().readTree(json), input);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("the stage's description is no JSON: " + error.getMessage(), error);
    }
  }

  private static OperatorPart operator(JsonNode node, StructType input) {
    JsonNode ports = node.path("ports");
    int[] columns = new int[ports.size()];
    StructType[] inputs = new StructType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = position(input, required(ports.get(i), "column"));
      inputs[i] = (StructType) input.apply(columns[i]).dataType();
    }
    long shortest = 0;
    for (JsonNode ttl : node.path("ttl")) {
      if (ttl.asLong() > 0) shortest = shortest == 0 ? ttl.asLong() : Math.min(shortest, ttl.asLong());
    }
    return new OperatorPart(
        required(node, "uid"), node.toString(), columns, inputs, schema(node), shortest,
        node.path("watermarkDelay").asLong(), node.path("timeDomain").asText().equals("event"));
  }

  private static StructType schema(JsonNode node) {
    JsonNode schema = node.path("outputSchema");
    DataType type = schema.isTextual()
        ? StructType.fromDDL(schema.asText()) : DataType.fromJson(schema.toString());
    return (StructType) SparkTypes.nullable(type);
  }

  private static String required(JsonNode node, String field) {
    if (!node.hasNonNull(field)) throw new IllegalArgumentException("an operator needs the field " + field);
    return node.get(field).asText();
  }

  private static int position(StructType schema, String column) {
    int position = Arrays.asList(schema.fieldNames()).indexOf(column);
    if (position < 0) {
      throw new IllegalArgumentException(
          "the stage's input has no column " + column + "; it has " + String.join(", ", schema.fieldNames()));
    }
    return position;
  }
}
