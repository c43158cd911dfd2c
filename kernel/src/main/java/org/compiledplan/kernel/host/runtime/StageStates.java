package org.compiledplan.kernel.host.runtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.Conditions;
import org.compiledplan.kernel.values.JsonText;

/** The description of a stage's state, stored with a checkpoint. */
public final class StageStates {
  private StageStates() {}

  /**
   * Returns, per operator uid, the description of its state's format and the types of its {@code
   * inputs} in Spark's notation: together with the operator's spec they suffice to read its state
   * without the query.
   *
   * @throws IllegalArgumentException if an operator's description is invalid
   */
  public static String describe(StageSpec spec) {
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
