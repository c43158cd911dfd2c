package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.operators.base.StateFormat;

/**
 * The state of an operator, read without its query: by its spec ({@code stages.json} of a
 * checkpoint) and the types of its inputs ({@code state.json}). Serves one task at a time.
 */
public final class StoredState {
  /** Position of the operator's stage among all stages, from 0. */
  public final int level;

  /** The operator's part of the stage's description. */
  public final StageSpec.OperatorPart part;

  public final StateFormat<?> format;

  private StoredState(int level, StageSpec.OperatorPart part) {
    this.level = level;
    this.part = part;
    format = StageRuntime.create(part, StoredState::condition).stateFormat();
  }

  /**
   * A dummy condition: joins require one, reading state does not evaluate it. Conditions may have
   * been serialized by another Spark version, so they are not deserialized.
   */
  public static RowPredicate condition(String text) {
    return (left, right) -> {
      throw new IllegalStateException("state is read without the conditions of its operator");
    };
  }

  /**
   * Returns the states of all operators by uid, in the order of the stages.
   *
   * @param stages JSON list of the specs passed to {@code Stage.attach}
   * @param states JSON: the results of {@link StageStates#describe} of all stages
   * @throws IllegalArgumentException if an operator is unknown to this release
   */
  public static Map<String, StoredState> all(String stages, String states) {
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
   * Removes the command of a Python function: state is read without the functions that computed it,
   * and a checkpoint is not trusted to start code.
   */
  private static void inert(ObjectNode python) {
    python.put("executable", "").put("program", "").put("payload", "");
  }
}
