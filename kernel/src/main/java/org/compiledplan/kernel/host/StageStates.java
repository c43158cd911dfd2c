package org.compiledplan.kernel.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.types.StructType;

/** What the state of a stage is, for those who keep it. */
final class StageStates {
  private StageStates() {}

  /**
   * For each operator's uid the description of its state's format, and the types of its {@code
   * inputs}, as Spark writes them: with these and the operator's spec its state can be read without
   * the query.
   *
   * @throws IllegalArgumentException if an operator's description is wrong
   */
  static String describe(StageSpec spec) {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode states = mapper.createObjectNode();
    try {
      for (StageSpec.OperatorPart part : spec.operators) {
        ObjectNode state = StageRuntime.create(part, Conditions::load).stateFormat().describe();
        ArrayNode inputs = state.putArray("inputs");
        for (StructType input : part.inputs) inputs.add(mapper.readTree(input.json()));
        states.set(part.uid, state);
      }
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException(error);
    }
    return states.toString();
  }
}
