package org.compiledplan.kernel.flink.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.state.serialization.Tree;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Patterns: the rows that wait for the watermark, and the open matches. Flink shares the rows of
 * matches in a graph: a node is a row as a variable, and an edge leads to the row before it in the
 * matches whose Dewey number is compatible with the edge's.
 */
final class MatchMapping extends FlinkMapping {
  private static final String WAITING = "eventQueuesStateName";
  private static final String MATCHES = "nfaStateName";
  private static final String EVENTS = "sharedBuffer-events";
  private static final String NODES = "sharedBuffer-entries-with-lockable-edges";

  /** The state of a complete match; its number is 0. */
  private static final String END = "$endState$";

  /** Positions in Flink's description of a match; the first row is null at the start. */
  private static final int STATE = 0;

  private static final int NUMBER = 1;
  private static final int FIRST_ROW = 4;
  private static final int NODE = 5;

  private final List<String> variables = new ArrayList<>();

  /** The numbers of states by their names. */
  private final Map<String, Long> states = new HashMap<>();

  MatchMapping(Target target) {
    super(target);
    for (JsonNode variable : target.facts().path("variables")) variables.add(variable.asText());
    JsonNode pattern = target.spec().get("pattern");
    // States are created from the last variable to the first, and 0 is the end. A variable's first
    // one has its name, the others a number behind it.
    states.put(END, 0L);
    long state = 1;
    for (int i = pattern.size() - 1; i >= 0 && i < variables.size(); i--) {
      int least = Math.max(1, pattern.get(i).path("min").asInt());
      int most = pattern.get(i).path("max").asInt();
      String name = variables.get(i);
      int count = most < 0 ? least + 1 : most;
      for (int k = 0; k < count; k++) states.put(k == 0 ? name : name + ":" + (k - 1), state++);
    }
  }

  @Override
  public Tree of(FlinkKey key) {
    Tree tree = target.fresh();
    FlinkEntry matches = key.only(MATCHES);
    Waiting waiting = waiting(key);
    boolean open = matches != null && addMatches(matches.value(), key, tree);
    if (!open && waiting.firstDue() == null) return null;
    tree.put("waiting", waiting.tree());
    return tree;
  }

  private Waiting waiting(FlinkKey key) {
    Waiting waiting = new Waiting();
    List<FlinkEntry> entries = new ArrayList<>(key.all(WAITING));
    entries.sort(Comparator.comparingLong(entry -> entry.userKey().longValue()));
    for (FlinkEntry entry : entries) {
      long time = entry.userKey().longValue();
      for (JsonNode row : entry.value())
        waiting.add(time, RowKinds.INSERT, target.row(whole(row), 0, time));
    }
    if (waiting.firstDue() != null && !target.spec().eventTime())
      throw new StateFormatException(
          "state "
              + WAITING
              + " has rows that arrived in its last millisecond; take a savepoint"
              + " when no rows arrive");
    return waiting;
  }

  /** A row with nulls in the columns that conditions and measures add. */
  private JsonNode whole(JsonNode row) {
    if (target.facts().path("computes").booleanValue())
      throw new StateFormatException(
          "a row is kept, and the pattern refers to values that are computed from rows");
    ArrayNode whole = row.deepCopy();
    while (whole.size() < target.input(0).length) whole.addNull();
    return whole;
  }

  /** Adds open matches, and complete ones that wait for them; returns false if there are none. */
  private boolean addMatches(JsonNode matches, FlinkKey key, Tree to) {
    List<JsonNode> open = new ArrayList<>();
    for (JsonNode match : matches.path(0)) if (!match.path(FIRST_ROW).isNull()) open.add(match);
    if (open.isEmpty() && matches.path(1).isEmpty()) return false;
    List<FlinkEntry> events = new ArrayList<>(key.all(EVENTS));
    // An event is its number among those of its time, and the time.
    events.sort(
        Comparator.comparingLong((FlinkEntry event) -> event.userKey().path(1).longValue())
            .thenComparingLong(event -> event.userKey().path(0).longValue()));
    List<Tree> rows = new ArrayList<>();
    Map<JsonNode, Long> places = new LinkedHashMap<>();
    for (FlinkEntry event : events) {
      long number = rows.size();
      long time = event.userKey().path(1).longValue();
      places.put(event.userKey(), number);
      Tree row = new Tree();
      row.put("number", number);
      row.put("time", time);
      row.put("row", target.row(whole(event.value().path(0)), 0, time));
      rows.add(row);
    }
    Map<JsonNode, JsonNode> nodes = new HashMap<>();
    for (FlinkEntry node : key.all(NODES)) nodes.put(node.userKey(), node.value().path(0));
    List<Tree> partial = new ArrayList<>();
    for (JsonNode match : open) partial.add(path(match, nodes, places));
    List<Tree> complete = new ArrayList<>();
    for (JsonNode match : matches.path(1)) complete.add(path(match, nodes, places));
    complete.sort(
        Comparator.comparingLong(MatchMapping::firstPlace)
            .thenComparingInt(match -> steps(match).size()));
    to.put("count", (long) rows.size());
    to.put("rows", rows);
    to.put("partial", partial);
    to.put("complete", complete);
    return true;
  }

  private static List<?> steps(Tree path) {
    return (List<?>) path.get("rows");
  }

  private static long firstPlace(Tree path) {
    return (Long) ((Tree) steps(path).get(0)).get("place");
  }

  private Tree path(JsonNode match, Map<JsonNode, JsonNode> nodes, Map<JsonNode, Long> places) {
    Long state = states.get(match.path(STATE).asText());
    if (state == null)
      throw new StateFormatException(
          "a match is open in state " + match.path(STATE) + ", which is not converted");
    LinkedList<Tree> steps = new LinkedList<>();
    JsonNode node = match.path(NODE);
    JsonNode number = match.path(NUMBER);
    while (!node.isNull()) {
      Long place = places.get(node.path(0));
      int variable = variables.indexOf(node.path(1).asText());
      JsonNode edge = edge(nodes.get(node), number);
      if (place == null || variable < 0 || edge == null)
        throw new StateFormatException("the rows of an open match are not known: " + match);
      Tree step = new Tree();
      step.put("place", place);
      step.put("variable", (long) variable);
      steps.addFirst(step);
      node = edge.path(0);
      number = edge.path(1);
    }
    Tree path = new Tree();
    path.put("state", state);
    path.put("rows", new ArrayList<>(steps));
    return path;
  }

  /** The only edge that is compatible with a Dewey number: its target and number; null if none. */
  private static JsonNode edge(JsonNode edges, JsonNode number) {
    JsonNode only = null;
    if (edges == null) return null;
    for (JsonNode edge : edges) {
      if (!isCompatible(number, edge.path(0).path(1))) continue;
      if (only != null) return null;
      only = edge.path(0);
    }
    return only;
  }

  /** Returns true if a Dewey number extends another, or differs in a last digit that is greater. */
  private static boolean isCompatible(JsonNode number, JsonNode other) {
    int last = other.size() - 1;
    if (number.size() < other.size()) return false;
    for (int i = 0; i < last; i++) if (!number.path(i).equals(other.path(i))) return false;
    long digit = number.path(last).longValue();
    long otherDigit = other.path(last).longValue();
    return number.size() == other.size() ? digit >= otherDigit : digit == otherDigit;
  }
}
