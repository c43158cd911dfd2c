package org.compiledplan.kernel.state.seeding;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.runtime.StoredState;
import org.compiledplan.kernel.operators.base.TimedState;
import org.compiledplan.kernel.state.conversion.Conversion;
import org.compiledplan.kernel.state.conversion.StateMapping;
import org.compiledplan.kernel.values.JsonText;

/** Converts state rows; Spark calls it for each row, with a separate copy per task. */
public final class Converter implements Serializable {
  private final String oldStages;
  private final String oldStates;
  private final String newStages;
  private final String newStates;
  private final String mappings;
  private transient volatile ThreadLocal<Map<UTF8String, Target>> targets;

  private static final class Target {
    private final String from;
    private final UTF8String to;
    private final int level;
    private final Conversion conversion;

    Target(StateMapping mapping, StoredState old, StoredState next) {
      from = mapping.from;
      to = UTF8String.fromString(mapping.to);
      level = next.level;
      conversion = Conversion.of(mapping, old.format, next.format);
    }
  }

  /**
   * @throws IllegalArgumentException if a mapping names an unknown operator
   * @throws org.compiledplan.kernel.state.serialization.StateFormatException if an operator's state
   *     cannot be converted
   */
  Converter(
      String oldStages, String oldStates, String newStages, String newStates, String mappings) {
    this.oldStages = oldStages;
    this.oldStates = oldStates;
    this.newStages = newStages;
    this.newStates = newStates;
    this.mappings = mappings;
    make();
  }

  private Map<UTF8String, Target> make() {
    Map<String, StoredState> before = StoredState.all(oldStages, oldStates);
    Map<String, StoredState> after = StoredState.all(newStages, newStates);
    Map<UTF8String, Target> targets = new LinkedHashMap<>();
    for (JsonNode element : JsonText.read(mappings, "the mapping")) {
      StateMapping mapping = new StateMapping(element);
      StoredState old = operator(before, mapping.from, "old");
      StoredState next = operator(after, mapping.to, "new");
      Target target = new Target(mapping, old, next);
      if (targets.put(UTF8String.fromString(mapping.from), target) != null)
        throw new IllegalArgumentException("operator " + mapping.from + " is mapped twice");
    }
    return targets;
  }

  private static StoredState operator(Map<String, StoredState> all, String uid, String which) {
    StoredState state = all.get(uid);
    if (state != null) return state;
    throw new IllegalArgumentException(
        "the mapping names operator " + uid + ", which is not in the " + which + " program");
  }

  private Map<UTF8String, Target> targets() {
    if (targets == null) targets = ThreadLocal.withInitial(this::make);
    return targets.get();
  }

  /**
   * Converts a row of the old state into a row of the new state ({@link SeedRows#SCHEMA}); null if
   * no new operator is mapped to its operator.
   */
  public InternalRow convert(UTF8String op, UTF8String key, byte[] bytes) {
    Target target = targets().get(op);
    if (target == null) return null;
    byte[] own = TimedState.split(target.from, bytes).bytes();
    return new GenericInternalRow(
        new Object[] {target.level, target.to, key, target.conversion.convert(own)});
  }
}
