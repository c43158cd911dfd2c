package org.compiledplan.kernel.host.reading;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.TimedState;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Readable state of a checkpoint, from rows with the columns {@code op}, {@code key} and {@code
 * bytes} as the host wrote them: figures of all operators, and the content of one.
 */
public final class StateReading implements Serializable {
  private static final String FIGURES =
      "op STRING, bytes BIGINT, timer BIGINT,"
          + " entries ARRAY<STRUCT<input: INT, written: BIGINT, time: BIGINT>>";

  private final String stages;
  private final String states;

  /**
   * @param stages JSON list of the specs passed to {@code Stage.attach}
   * @param states JSON: the results of {@code StageStates.describe} of all stages; the {@code
   *     columns} of an operator are the column names of its inputs
   */
  public StateReading(String stages, String states) {
    this.stages = stages;
    this.states = states;
  }

  /**
   * Returns, per key, its operator, its size in bytes, the time of its timer in ms, and per entry
   * the number of its input, the time of its last write and its own time in ms; see {@link
   * EntryTimes}. Missing values are null.
   */
  public Dataset<Row> figures(Dataset<Row> rows) {
    return mapped(
        rows,
        StructType.fromDDL(FIGURES),
        () -> {
          Map<String, StoredState> all = StoredState.all(stages, states);
          return row -> figures(all.get(row.getString(0)), row);
        });
  }

  private static Row figures(StoredState state, Row row) {
    byte[] stored = row.getAs(2);
    String uid = row.getString(0);
    TimedState.Parts parts = TimedState.split(uid, stored);
    List<Row> entries = new ArrayList<>();
    state.format.entryTimes(
        parts.bytes(),
        (input, written, time) ->
            entries.add(RowFactory.create(input, nullable(written), nullable(time))));
    return RowFactory.create(
        uid,
        (long) stored.length + row.getString(1).getBytes(StandardCharsets.UTF_8).length,
        parts.timer().isPresent() ? (Long) parts.timer().getAsLong() : null,
        entries.toArray(new Row[0]));
  }

  private static Long nullable(long time) {
    return time == EntryTimes.NONE ? null : (Long) time;
  }

  /**
   * Returns the content of an operator's keys: {@code key}, {@code timer}, and {@code state}, a
   * struct of its fields, see {@link StateColumns}.
   *
   * @param rows rows of this operator alone
   */
  public Dataset<Row> content(Dataset<Row> rows, String uid) {
    StructType type = columns(uid, StoredState.all(stages, states).get(uid)).type();
    StructType schema = StructType.fromDDL("key STRING, timer TIMESTAMP").add("state", type, true);
    return mapped(
        rows,
        schema,
        () -> {
          StoredState state = StoredState.all(stages, states).get(uid);
          StateColumns columns = columns(uid, state);
          return row -> {
            TimedState.Parts parts = TimedState.split(uid, row.getAs(2));
            return RowFactory.create(
                row.getString(1),
                parts.timer().isPresent() ? Instant.ofEpochMilli(parts.timer().getAsLong()) : null,
                columns.row(state.format.decode(parts.bytes())));
          };
        });
  }

  private StateColumns columns(String uid, StoredState state) {
    try {
      JsonNode inputs = new ObjectMapper().readTree(states).path(uid).path("columns");
      String[][] names = new String[state.part.inputs.length][];
      for (int i = 0; i < names.length; i++) {
        names[i] = new String[inputs.path(i).size()];
        for (int at = 0; at < names[i].length; at++) {
          names[i][at] = inputs.path(i).path(at).path("name").asText();
        }
      }
      JsonNode calls = new ObjectMapper().readTree(state.part.parameters).path("aggs");
      String[] words = new String[calls.size()];
      for (int i = 0; i < words.length; i++) words[i] = words(calls.get(i), names[0]);
      return StateColumns.of(
          state.format.fields(), new StateColumns.Names(state.part.inputs, names, words));
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("a checkpoint's description is no JSON", error);
    }
  }

  /** A call in SQL notation: {@code COUNT(DISTINCT item)}. */
  private static String words(JsonNode call, String[] names) {
    String function = call.path("function").asText().replaceAll("^\\$+(\\w+?)(\\$\\d+)+$", "$1");
    List<String> arguments = new ArrayList<>();
    for (JsonNode at : call.path("args")) arguments.add(name(names, at.asInt()));
    String all = arguments.isEmpty() ? "*" : String.join(", ", arguments);
    String text =
        function + "(" + (call.path("distinct").asBoolean() ? "DISTINCT " : "") + all + ")";
    int filter = call.path("filter").asInt(-1);
    return filter < 0 ? text : text + " FILTER (WHERE " + name(names, filter) + ")";
  }

  private static String name(String[] names, int at) {
    return at < names.length ? names[at] : "column " + (at + 1);
  }

  @FunctionalInterface
  private interface Work extends Serializable {
    Function<Row, Row> begin();
  }

  private static Dataset<Row> mapped(Dataset<Row> rows, StructType schema, Work work) {
    MapPartitionsFunction<Row, Row> all =
        partition ->
            CollectionConverters.asJava(
                CollectionConverters.asScala(partition).map(work.begin()::apply));
    return rows.select("op", "key", "bytes").mapPartitions(all, Encoders.row(schema));
  }
}
