package org.compiledplan.kernel.host;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.values.JsonText;

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
    ObjectNode states = JsonNodeFactory.instance.objectNode();
    for (StageSpec.OperatorPart part : spec.operators) {
      ObjectNode state = StageRuntime.create(part, Conditions::load).stateFormat().describe();
      ArrayNode inputs = state.putArray("inputs");
      for (StructType input : part.inputs) inputs.add(JsonText.read(input.json()));
      states.set(part.uid, state);
    }
    return states.toString();
  }
}
