package org.compiledplan.kernel.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.operators.RowPredicate;
import org.compiledplan.kernel.operators.StateFormat;

/**
 * The state of an operator, read without the query that wrote it: by its spec ({@code stages.json}
 * of a checkpoint) and the types of its inputs ({@code state.json}). Serves one task at a time.
 */
final class StoredState {
  /** Position of the operator's stage among all stages, from 0. */
  final int level;

  /** The operator as the stage was told of it. */
  final StageSpec.OperatorPart part;

  final StateFormat<?> format;

  private StoredState(int level, StageSpec.OperatorPart part) {
    this.level = level;
    this.part = part;
    format = StageRuntime.create(part, StoredState::condition).stateFormat();
  }

  /**
   * Joins are made with their conditions, which reading does not ask. Another Spark may have
   * written them, so they stay text.
   */
  static RowPredicate condition(String text) {
    return (left, right) -> {
      throw new IllegalStateException("state is read without the conditions of its operator");
    };
  }

  /**
   * The states of all operators by uid, in the order of the stages.
   *
   * @param stages a JSON list of the specs that {@link Stage#attach} was given
   * @param states JSON: what {@link StageStates#describe} gave, of all stages together
   * @throws IllegalArgumentException if an operator is none of this release
   */
  static Map<String, StoredState> all(String stages, String states) {
    ObjectMapper mapper = new ObjectMapper();
    Map<String, StoredState> all = new LinkedHashMap<>();
    try {
      JsonNode described = mapper.readTree(states);
      int level = 0;
      for (JsonNode stage : mapper.readTree(stages)) {
        for (JsonNode operator : stage.path("operators")) {
          StageSpec.OperatorPart part = part(operator, described);
          all.put(part.uid, new StoredState(level, part));
        }
        level++;
      }
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("a checkpoint's description is no JSON", error);
    }
    return all;
  }

  private static StageSpec.OperatorPart part(JsonNode operator, JsonNode described) {
    String uid = operator.path("uid").asText();
    if (!described.has(uid)) {
      throw new IllegalArgumentException(
          "operator " + uid + ": the checkpoint does not say what its state is");
    }
    JsonNode types = described.path(uid).path("inputs");
    StructType[] inputs = new StructType[types.size()];
    int[] columns = new int[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] = (StructType) DataType.fromJson(types.get(i).toString());
      columns[i] = i;
    }
    ObjectNode parameters = operator.path("parameters").deepCopy();
    for (JsonNode call : parameters.path("aggs")) {
      if (call.path("python").isObject()) inert((ObjectNode) call.get("python"));
    }
    return new StageSpec.OperatorPart(operator, parameters.toString(), columns, inputs);
  }

  /**
   * State is read without the functions that computed it, and a checkpoint is not trusted to say
   * what is to be run: nothing of it can start.
   */
  private static void inert(ObjectNode python) {
    python.put("executable", "").put("program", "").put("payload", "");
  }
}
