package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.JsonText;

/** All entries of one key of an operator, by state. */
public final class FlinkKey {
  private final Map<String, List<FlinkEntry>> states = new LinkedHashMap<>();
  private final FlinkEntry first;

  private FlinkKey(List<FlinkEntry> entries) {
    first = entries.get(0);
    for (FlinkEntry entry : entries)
      states.computeIfAbsent(entry.state(), name -> new ArrayList<>()).add(entry);
  }

  /** Parses the lines of a key, at least one. */
  public static FlinkKey of(Iterable<String> lines) {
    List<FlinkEntry> entries = new ArrayList<>();
    for (String line : lines)
      entries.add(new FlinkEntry(JsonText.read(line, "an entry of the savepoint")));
    return new FlinkKey(entries);
  }

  /** Any of the entries. */
  public FlinkEntry first() {
    return first;
  }

  /** The names of the states that have entries. */
  public Set<String> states() {
    return states.keySet();
  }

  /** The entries by their namespace, in the order of the first entry of each. */
  public Map<JsonNode, FlinkKey> byNamespace() {
    Map<JsonNode, List<FlinkEntry>> entries = new LinkedHashMap<>();
    for (List<FlinkEntry> of : states.values())
      for (FlinkEntry entry : of)
        entries.computeIfAbsent(entry.namespace(), name -> new ArrayList<>()).add(entry);
    Map<JsonNode, FlinkKey> keys = new LinkedHashMap<>();
    entries.forEach((namespace, of) -> keys.put(namespace, new FlinkKey(of)));
    return keys;
  }

  /** The entries of a state, empty if the key has none. */
  public List<FlinkEntry> all(String state) {
    return states.getOrDefault(state, List.of());
  }

  /**
   * The entry of a {@code VALUE} state without namespaces; null if the key has none.
   *
   * @throws StateFormatException if there are several
   */
  public FlinkEntry only(String state) {
    List<FlinkEntry> entries = all(state);
    if (entries.size() > 1)
      throw new StateFormatException(
          "state " + state + " has " + entries.size() + " entries of one key");
    return entries.isEmpty() ? null : entries.get(0);
  }
}
