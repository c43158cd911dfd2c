package org.compiledplan.kernel.state.conversion;

import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.values.ValueType;

/** Converts rows of some columns into rows of others. */
final class RowConversion {
  /** Marks a new column without an old one. */
  private static final int NONE = -1;

  /** Position in the old row of each column of the new one. */
  private final int[] from;

  private final Widening[] widenings;

  /** True if rows have the same bytes in state, where trailing nulls are omitted. */
  final boolean sameBytes;

  private RowConversion(int[] from, Widening[] widenings, int oldSize) {
    this.from = from;
    this.widenings = widenings;
    boolean same = from.length >= oldSize;
    for (int i = 0; same && i < from.length; i++) {
      same = i < oldSize ? from[i] == i && widenings[i].sameBytes() : from[i] == NONE;
    }
    sameBytes = same;
  }

  static RowConversion of(Columns old, Columns next, ConversionPosition context) {
    int[] from = new int[next.size()];
    Widening[] widenings = new Widening[from.length];
    for (int i = 0; i < from.length; i++) {
      from[i] = position(old, next, i, context);
      if (from[i] == NONE) continue;
      ValueType was = old.types()[from[i]];
      widenings[i] = context.widening(was, next.types()[i]);
    }
    return new RowConversion(from, widenings, old.size());
  }

  private static int position(Columns old, Columns next, int column, ConversionPosition context) {
    int place = next.place(column);
    if (next.input() < 0) {
      Integer call = context.mapping.call(place);
      return call == null ? NONE : resolve(old, -1, call, context);
    }
    StateMapping.Place was = context.mapping.column(next.input(), place);
    return was == null ? NONE : resolve(old, was.input(), was.column(), context);
  }

  private static int resolve(Columns old, int input, int place, ConversionPosition context) {
    if (old.input() == input) {
      for (int i = 0; i < old.size(); i++) {
        if (old.place(i) == place) return i;
      }
    }
    throw context.problem(
        input < 0
            ? "the value of call " + place + " was not stored"
            : new StateMapping.Place(input, place) + " was not stored");
  }

  Object[] apply(Object[] row) {
    if (row == null) return null;
    Object[] converted = new Object[from.length];
    for (int i = 0; i < converted.length; i++) {
      if (from[i] != NONE) converted[i] = widenings[i].apply(row[from[i]]);
    }
    return converted;
  }
}
