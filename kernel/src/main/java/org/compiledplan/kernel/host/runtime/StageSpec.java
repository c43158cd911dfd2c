package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.StrictObject;
import org.compiledplan.kernel.values.JsonText;

/** A stage's description, checked against the schema of its input. */
public final class StageSpec implements Serializable {
  private static final String[] HEAD = {"op", "key", "port", "kind", "ord", "path", "watermark"};
  private static final String HEAD_DDL =
      "op STRING, key STRING, port INT, kind TINYINT, ord BIGINT, path BINARY, watermark BIGINT";

  /** Positions in {@link #head}, and of the head columns in the output. */
  public static final int OP = 0;

  public static final int KEY = 1;
  public static final int PORT = 2;
  public static final int KIND = 3;
  public static final int ORD = 4;
  public static final int PATH = 5;

  /** The last one, only in plans with event time. */
  public static final int WATERMARK = 6;

  /**
   * One operator: its parameters as JSON, the positions of its inputs, and the shape of its output.
   */
  public static final class OperatorPart implements Serializable {
    public final String uid;
    final String type;
    public final String parameters;

    /** In ms, one per state entry. */
    final long[] ttl;

    /** Per input, the columns that form the key. */
    final int[][] keys;

    public final int[] columns;
    public final StructType[] inputs;
    final StructType output;

    /** The shortest TTL of its state entries in ms, 0 if nothing expires. */
    final long shortestTtl;

    /** Delay of the operator's watermark behind the query's, in ms. */
    final long watermarkDelay;

    /** True if its timers fire by watermark. */
    final boolean eventTime;

    /** Per input, the output of its late rows; null if they are only counted. */
    public final LatePart[] late;

    /**
     * @param columns positions of its inputs in a row of the stage
     * @param inputs types of its inputs
     */
    OperatorPart(JsonNode json, String parameters, int[] columns, StructType[] inputs) {
      uid = json.path("uid").asText();
      type = json.path("type").asText();
      this.parameters = parameters;
      this.columns = columns;
      this.inputs = inputs;
      JsonNode ports = json.path("ports");
      keys = new int[columns.length][];
      for (int i = 0; i < columns.length; i++)
        keys[i] = OperatorSpec.ints(ports.get(i).path("key"));
      output = schema(json.path("outputSchema").asText());
      JsonNode times = json.path("ttl");
      ttl = new long[times.size()];
      for (int i = 0; i < ttl.length; i++) ttl[i] = times.get(i).asLong();
      shortestTtl = Arrays.stream(ttl).filter(time -> time > 0).min().orElse(0);
      watermarkDelay = json.path("watermarkDelay").asLong();
      eventTime = json.path("timeDomain").asText().equals("event");
      late = new LatePart[columns.length];
    }

    /** Returns true if late rows of an input are emitted. */
    public boolean emitsLateRows() {
      return Arrays.stream(late).anyMatch(Objects::nonNull);
    }

    private static OperatorPart within(StructType envelope, JsonNode json, String parameters) {
      JsonNode ports = json.path("ports");
      int[] columns = new int[ports.size()];
      StructType[] inputs = new StructType[columns.length];
      for (int i = 0; i < columns.length; i++) {
        columns[i] = position(envelope, ports.get(i).path("column").asText());
        inputs[i] = (StructType) envelope.apply(columns[i]).dataType();
      }
      OperatorPart part = new OperatorPart(json, parameters, columns, inputs);
      for (int i = 0; i < columns.length; i++) {
        JsonNode port = ports.get(i);
        if (StrictObject.holds(port, "late"))
          part.late[i] = LatePart.within(envelope, port.path("late"));
      }
      return part;
    }
  }

  /**
   * Late rows of one input. Each row of the input carries, in a column of its own, the values that
   * are emitted if it is late.
   *
   * @param op of the emitted rows
   * @param column position of that column in a row of the stage
   * @param type its type
   * @param output name of the column with the emitted values, and behind them the watermark in ms
   */
  public record LatePart(String op, int column, StructType type, String output)
      implements Serializable {
    private static LatePart within(StructType envelope, JsonNode json) {
      int column = position(envelope, json.path("column").asText());
      return new LatePart(
          json.path("op").asText(),
          column,
          (StructType) envelope.apply(column).dataType(),
          json.path("output").asText());
    }

    StructType emitted() {
      return ((StructType) SparkTypes.nullable(type)).add("watermark", DataTypes.LongType, true);
    }
  }

  public final String name;
  public final String host;
  public final String timeMode;

  /** True if timers fire by watermark. */
  public final boolean eventTime;

  /** Columns of a row besides the grouping columns. */
  public final StructType inputSchema;

  public final StructType outputSchema;

  /** Positions of the head columns in {@link #inputSchema}, which does not contain op and key. */
  public final int[] head;

  /**
   * The column behind {@link #inputSchema} in a stage with folded rows: the pre-aggregate that a
   * row represents, null for a single row.
   */
  public static final String PARTIAL = "partial";

  /** Positions of the pass-through columns in {@link #inputSchema}. */
  public final int[] passThrough;

  public final List<OperatorPart> operators = new ArrayList<>();

  /**
   * @param json the description without the operators' parameters
   * @param parameters parameters of each operator
   */
  private StageSpec(JsonNode json, Iterator<String> parameters, StructType envelope) {
    name = json.path("name").asText();
    host = json.path("host").asText();
    timeMode = json.path("timeMode").asText();
    eventTime = timeMode.equals("event");
    for (int i = 0; i < PORT; i++) position(envelope, HEAD[i]);
    StructType input =
        new StructType(
            Arrays.stream(envelope.fields())
                .filter(field -> !field.name().equals(HEAD[OP]) && !field.name().equals(HEAD[KEY]))
                .toArray(StructField[]::new));
    inputSchema = input;
    boolean hasWatermark = Arrays.asList(input.fieldNames()).contains(HEAD[WATERMARK]);
    head = new int[hasWatermark ? HEAD.length : WATERMARK];
    for (int i = PORT; i < head.length; i++) head[i] = position(input, HEAD[i]);
    List<StructField> output =
        new ArrayList<>(
            Arrays.asList(StructType.fromDDL(HEAD_DDL).fields()).subList(0, head.length));
    Set<String> uids = new LinkedHashSet<>();
    for (JsonNode node : json.path("operators")) {
      OperatorPart part = OperatorPart.within(input, node, parameters.next());
      if (!uids.add(part.uid))
        throw new IllegalArgumentException("operator uid " + part.uid + " is used twice");
      operators.add(part);
      output.add(DataTypes.createStructField(node.path("output").asText(), part.output, true));
    }
    for (OperatorPart part : operators)
      for (LatePart late : part.late)
        if (late != null)
          output.add(DataTypes.createStructField(late.output(), late.emitted(), true));
    JsonNode passing = json.path("passThrough");
    passThrough = new int[passing.size()];
    for (int i = 0; i < passThrough.length; i++) {
      passThrough[i] = position(input, passing.get(i).asText());
      StructField field = input.apply(passThrough[i]);
      output.add(
          DataTypes.createStructField(field.name(), SparkTypes.nullable(field.dataType()), true));
    }
    outputSchema = DataTypes.createStructType(output);
    if (eventTime && !hasWatermark) {
      throw new IllegalArgumentException(
          "stage " + name + ": event time needs the column " + HEAD[WATERMARK]);
    }
    for (OperatorPart part : operators) {
      if (part.eventTime && !eventTime) {
        throw new IllegalArgumentException(
            "stage " + name + ": operator " + part.uid + " needs time mode event");
      }
    }
  }

  /** Returns true if rows carry the watermark at which they arrive. */
  public boolean hasWatermark() {
    return head.length > WATERMARK;
  }

  public static StageSpec parse(String json, StructType input) {
    return parse(JsonText.read(json, "the stage's description"), input);
  }

  /**
   * A stage for reading stored state, which needs the operators and their state only. The input
   * types are those stored with the state, see {@link StageStates#describe}.
   *
   * @throws IllegalArgumentException if the state of an operator is not described
   */
  public static StageSpec stored(JsonNode stage, JsonNode states) {
    StructType envelope = StructType.fromDDL(HEAD_DDL);
    for (JsonNode operator : stage.path("operators")) {
      String uid = operator.path("uid").asText();
      JsonNode ports = operator.path("ports");
      JsonNode inputs = states.path(uid).path("inputs");
      if (inputs.size() != ports.size()) {
        throw new IllegalArgumentException(
            "operator %s has %s inputs, but the description of its state has the types of %s"
                .formatted(uid, ports.size(), inputs.size()));
      }
      for (int i = 0; i < ports.size(); i++) {
        DataType type = DataType.fromJson(inputs.get(i).toString());
        envelope = envelope.add(ports.get(i).path("column").asText(), type, true);
      }
    }
    ObjectNode alone = stage.deepCopy();
    alone.putArray("passThrough");
    for (JsonNode operator : alone.path("operators"))
      for (JsonNode port : operator.path("ports")) ((ObjectNode) port).remove("late");
    return parse(alone, envelope);
  }

  private static StageSpec parse(JsonNode read, StructType input) {
    List<String> parameters = new ArrayList<>();
    for (JsonNode operator : read.path("operators")) {
      JsonNode own = ((ObjectNode) operator).remove("parameters");
      if (own == null || !own.isObject()) {
        throw new IllegalArgumentException("an operator needs the field parameters");
      }
      parameters.add(own.toString());
    }
    JsonNode strict = StrictObject.of(read);
    StageSpec spec = new StageSpec(strict, parameters.iterator(), input);
    StrictObject.finish(strict, "stage " + spec.name);
    return spec;
  }

  /** A schema as Spark's JSON or DDL; all fields become nullable. */
  private static StructType schema(String text) {
    DataType type = text.startsWith("{") ? DataType.fromJson(text) : StructType.fromDDL(text);
    return (StructType) SparkTypes.nullable(type);
  }

  private static int position(StructType schema, String column) {
    int position = Arrays.asList(schema.fieldNames()).indexOf(column);
    if (position < 0) {
      throw new IllegalArgumentException(
          "the stage's input has no column %s; it has %s"
              .formatted(column, String.join(", ", schema.fieldNames())));
    }
    return position;
  }
}
