package org.compiledplan.kernel.operators.match;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A linear pattern as a state machine: a state takes a row as a variable and leads to the next
 * state, or passes the row to another state. Follows Flink's NFACompiler for strict contiguity: a
 * greedy variable does not give its rows to the variables behind it, there is no backtracking.
 */
final class MatchPattern {
  /** The state of a complete match. */
  static final int FINAL = 0;

  static final class Edge {
    /** The variable that the row is taken as; -1: the row is passed to the target state. */
    final int take;

    final int target;

    /** Variables that must not accept the row, because they take precedence. */
    final List<Integer> unless = new ArrayList<>(0);

    private Edge(int take, int target) {
      this.take = take;
      this.target = target;
    }
  }

  private final List<List<Edge>> states = new ArrayList<>();

  /** The state of a match without rows. */
  final int start;

  /**
   * @param elements variables from left to right, each with {@code min}, {@code max}, {@code
   *     greedy}
   */
  MatchPattern(JsonNode elements) {
    states.add(new ArrayList<>());
    int next = FINAL;
    for (int i = elements.size() - 1; i >= 0; i--) {
      JsonNode element = elements.get(i);
      next =
          compile(
              i,
              element.path("min").asInt(),
              element.path("max").asInt(),
              element.path("greedy").asBoolean(),
              next);
    }
    start = next;
  }

  List<Edge> edges(int state) {
    return states.get(state);
  }

  private int compile(int variable, int min, int max, boolean greedy, int next) {
    int least = Math.max(1, min);
    boolean single = max == 1;
    if (greedy && !single && min != max) {
      for (Edge edge : states.get(next)) edge.unless.add(variable);
    }
    int last = next;
    if (max < 0) {
      int loop = state();
      proceed(loop, next);
      take(loop, variable, loop);
      last = loop;
    }
    for (int i = least; i < max; i++) {
      int more = state();
      take(more, variable, last);
      proceed(more, next);
      last = more;
    }
    for (int i = 0; i < least; i++) {
      int needed = state();
      take(needed, variable, last);
      last = needed;
    }
    if (min == 0) proceed(last, next);
    return last;
  }

  private int state() {
    states.add(new ArrayList<>(2));
    return states.size() - 1;
  }

  private void take(int state, int variable, int target) {
    states.get(state).add(new Edge(variable, target));
  }

  private void proceed(int state, int target) {
    states.get(state).add(new Edge(-1, target));
  }
}
