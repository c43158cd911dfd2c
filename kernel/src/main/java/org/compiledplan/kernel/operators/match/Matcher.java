package org.compiledplan.kernel.operators.match;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.match.PartialMatch.Event;

/**
 * Finds the matches of a pattern, row by row. Follows Flink's NFA: all partial matches are tracked;
 * a complete match is emitted once no match that began earlier is open, and matches that begin
 * before its skip target are then dropped.
 */
final class Matcher {
  private static final Object[] NOTHING = {};
  private static final Comparator<PartialMatch> BY_START =
      Comparator.comparingLong(match -> match.first.number());

  private final MatchPattern pattern;
  private final MatchValues[] defineValues;
  private final RowPredicate[] defines;
  private final String skip;
  private final int skipVariable;
  private final long within;
  private final OperatorSpec spec;

  Matcher(OperatorSpec spec) {
    this.spec = spec;
    pattern = new MatchPattern(spec.get("pattern"));
    JsonNode conditions = spec.get("conditions");
    defines = new RowPredicate[conditions.size()];
    defineValues = new MatchValues[defines.length];
    for (int i = 0; i < defines.length; i++) {
      defines[i] = spec.condition(conditions.get(i));
      defineValues[i] = new MatchValues(spec.get("defines").path(i), spec);
    }
    skip = spec.text("skip");
    skipVariable = spec.column("skipVariable");
    within = spec.number("within", 0);
  }

  /** Open matches of a key, and complete matches that wait; both ordered by their first row. */
  static final class Open {
    List<PartialMatch> partial = new ArrayList<>();
    final List<PartialMatch> complete = new ArrayList<>();

    boolean isEmpty() {
      return partial.isEmpty() && complete.isEmpty();
    }
  }

  /** Processes the next row in the order of the pattern. */
  void take(Open open, Event event, Consumer<PartialMatch> emit) {
    List<PartialMatch> next = new ArrayList<>();
    List<PartialMatch> complete = new ArrayList<>();
    for (PartialMatch match : open.partial) follow(match, event, next, complete);
    follow(new PartialMatch(pattern.start), event, next, complete);
    next.sort(BY_START);
    open.partial = next;
    open.complete.addAll(complete);
    open.complete.sort(BY_START);
    release(open, emit);
  }

  /** Drops matches that exceed the pattern's time limit. */
  void advance(Open open, long time, Consumer<PartialMatch> emit) {
    if (within <= 0 || open.partial.isEmpty()) return;
    if (open.partial.removeIf(match -> TimeMath.plus(match.first.time(), within) <= time))
      release(open, emit);
  }

  /** Time at which the first open match exceeds the time limit; empty if there is none. */
  OptionalLong expiry(Open open) {
    if (within <= 0) return OptionalLong.empty();
    return open.partial.stream()
        .mapToLong(match -> TimeMath.plus(match.first.time(), within))
        .min();
  }

  private void follow(
      PartialMatch match, Event event, List<PartialMatch> next, List<PartialMatch> complete) {
    Boolean[] satisfied = new Boolean[defines.length];
    ArrayDeque<Integer> states = new ArrayDeque<>();
    states.push(match.state);
    while (!states.isEmpty()) {
      for (MatchPattern.Edge edge : pattern.edges(states.pop())) {
        if (isTaken(edge, match, event, satisfied)) continue;
        if (edge.take < 0) {
          states.push(edge.target);
        } else if (satisfies(edge.take, match, event, satisfied)) {
          PartialMatch longer = new PartialMatch(match, event, edge.take, edge.target);
          if (edge.target != MatchPattern.FINAL) {
            next.add(longer);
            if (!reachesEnd(longer, event)) continue;
          }
          complete.add(longer.at(MatchPattern.FINAL));
        }
      }
    }
  }

  /** Returns true if a match is already complete, though it may be continued. */
  private boolean reachesEnd(PartialMatch match, Event event) {
    Boolean[] satisfied = new Boolean[defines.length];
    ArrayDeque<Integer> states = new ArrayDeque<>();
    states.push(match.state);
    while (!states.isEmpty()) {
      for (MatchPattern.Edge edge : pattern.edges(states.pop())) {
        if (edge.take >= 0 || isTaken(edge, match, event, satisfied)) continue;
        if (edge.target == MatchPattern.FINAL) return true;
        states.push(edge.target);
      }
    }
    return false;
  }

  private boolean isTaken(
      MatchPattern.Edge edge, PartialMatch match, Event event, Boolean[] satisfied) {
    for (int variable : edge.unless) {
      if (satisfies(variable, match, event, satisfied)) return true;
    }
    return false;
  }

  /**
   * Returns true if the row satisfies the variable's condition; results are cached in {@code
   * satisfied}.
   */
  private boolean satisfies(int variable, PartialMatch match, Event event, Boolean[] satisfied) {
    if (satisfied[variable] == null) {
      satisfied[variable] = true;
      if (defines[variable] != RowPredicate.TRUE) {
        Object[] values = new Object[defineValues[variable].count()];
        // A condition is evaluated as if the row were already assigned to the variable.
        defineValues[variable].put(
            new PartialMatch(match, event, variable, match.state), event, values, 0);
        satisfied[variable] = defines[variable].test(NOTHING, values);
      }
    }
    return satisfied[variable];
  }

  private void release(Open open, Consumer<PartialMatch> emit) {
    while (!open.complete.isEmpty()) {
      PartialMatch first = open.complete.get(0);
      if (!open.partial.isEmpty() && BY_START.compare(first, open.partial.get(0)) > 0) return;
      open.complete.remove(0);
      long keep = firstRetained(first);
      open.partial.removeIf(match -> match.first.number() < keep);
      open.complete.removeIf(match -> match.first.number() < keep);
      emit.accept(first);
    }
  }

  /** Number of the first row at which another match may begin. */
  private long firstRetained(PartialMatch match) {
    switch (skip) {
      case "NEXT_ROW":
        return match.first.number() + 1;
      case "PAST_LAST_ROW":
        return match.event.number() + 1;
      default:
    }
    List<Event> rows = match.rows(skipVariable);
    if (rows.isEmpty()) {
      throw new IllegalStateException(
          "operator " + spec.uid() + " cannot skip to a variable that the match does not have");
    }
    long number = rows.get(skip.equals("FIRST") ? 0 : rows.size() - 1).number();
    if (number == match.first.number()) {
      throw new IllegalStateException(
          "operator " + spec.uid() + " cannot skip to the first row of the match");
    }
    return number;
  }
}
