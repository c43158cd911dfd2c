package org.compiledplan.kernel.operators.match;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rows that match a prefix of a pattern, or all of it. */
final class PartialMatch {
  /** An input row with its number among the key's rows. */
  record Event(long number, long time, Object[] row) {}

  final int state;

  /** The match without its last row; null for the match without rows. */
  final PartialMatch before;

  final Event event;

  /** The variable of the last row. */
  final int variable;

  final Event first;

  /** The match without rows. */
  PartialMatch(int state) {
    this.state = state;
    before = null;
    event = null;
    variable = -1;
    first = null;
  }

  PartialMatch(PartialMatch before, Event event, int variable, int state) {
    this.before = before;
    this.event = event;
    this.variable = variable;
    this.state = state;
    first = before.first == null ? event : before.first;
  }

  /** The same rows in another state of the pattern. */
  PartialMatch at(int newState) {
    return new PartialMatch(before, event, variable, newState);
  }

  boolean isEmpty() {
    return event == null;
  }

  /** The rows of a variable, or of all variables if it is negative, in order. */
  List<Event> rows(int requested) {
    List<Event> rows = new ArrayList<>();
    for (PartialMatch match = this; match.event != null; match = match.before) {
      if (requested < 0 || match.variable == requested) rows.add(match.event);
    }
    Collections.reverse(rows);
    return rows;
  }
}
