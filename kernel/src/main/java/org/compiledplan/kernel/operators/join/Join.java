package org.compiledplan.kernel.operators.join;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.RowPredicate;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Inner, left, right and full joins of two changelogs. Follows Flink's StreamingJoinOperator: a row
 * of an outer input is padded with nulls while it has no match, which its number of associations
 * tells. Unlike Flink, an update that arrives without its {@code -U} replaces the stored row: it is
 * counted once, and results of the replaced row alone are retracted.
 */
public final class Join extends JoinOperator {
  private final JoinInputs inputs;
  private final boolean[] outer;

  public Join(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    RowStore.Layout[] layouts = inputs.layouts(spec);
    define(spec, StateKind.JOIN, () -> new RowStores(layouts), Work::new);
    String type = spec.text("joinType");
    outer = JoinInputs.outer(type);
    if (!outer[0] && !outer[1] && !type.equals("INNER"))
      throw spec.problem("has unknown join type " + type);
  }

  private final class Work extends JoinWork {
    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind());
      if (inputs.hasNullKey(row)) {
        if (!outer[row.port()]) return Outcome.UNMATCHED;
        emitPadded(row.port(), row.values(), add, out);
        return Outcome.APPLIED;
      }
      RowStore.Entry replaced = add ? store(row.port()).replacedBy(row.values()) : null;
      if (replaced != null && !matchesAlike(row.port() == 0, replaced, row.values())) {
        join(new InputRow(row.port(), RowKinds.DELETE, replaced.row(), row.watermark()), null, out);
        join(row, null, out);
        return Outcome.APPLIED;
      }
      return join(row, replaced, out);
    }

    /**
     * @param replaced the row that an update replaces and that matches the same rows; null if none
     */
    private Outcome join(InputRow row, RowStore.Entry replaced, Out out) {
      boolean add = RowKinds.isAdd(row.kind());
      return outer[0] || outer[1]
          ? joinOuter(row, add, replaced, out)
          : joinInner(row, add, replaced, out);
    }

    /** Returns true if two rows of an input match the same rows of the opposite input. */
    private boolean matchesAlike(boolean left, RowStore.Entry stored, Object[] another) {
      if (inputs.condition == RowPredicate.TRUE) return true;
      RowStore others = store(left ? 1 : 0);
      return matches(left, stored.row(), others).equals(matches(left, another, others));
    }

    private Outcome joinInner(InputRow row, boolean add, RowStore.Entry replaced, Out out) {
      boolean present = true, matched = false;
      if (add) store(row.port()).replace(replaced, row.values(), 0);
      else present = store(row.port()).retract(row.values());
      RowStore others = store(1 - row.port());
      if (others.count() == 0) return Outcome.joined(add, present, false);
      boolean left = row.port() == 0;
      for (RowStore.Entry stored : others.rows()) {
        if (stored.removed) continue;
        Object[] match = stored.row();
        if (!inputs.matches(left, row.values(), match)) continue;
        matched = true;
        others.use(stored);
        out.emit(row.kind(), inputs.joined(left, row.values(), match));
      }
      return Outcome.joined(add, present, matched);
    }

    private Outcome joinOuter(InputRow row, boolean add, RowStore.Entry replaced, Out out) {
      boolean left = row.port() == 0;
      RowStore own = store(row.port());
      RowStore others = store(1 - row.port());
      List<RowStore.Entry> matches = matches(left, row.values(), others);
      matches.forEach(others::use);
      boolean present = true;
      if (add) own.replace(replaced, row.values(), matches.size());
      else present = own.retract(row.values());
      if (matches.isEmpty()) {
        if (outer[row.port()]) emitPadded(row.port(), row.values(), add, out);
        return Outcome.joined(add, present, outer[row.port()]);
      }
      boolean otherIsOuter = outer[1 - row.port()];
      if (add && otherIsOuter) {
        for (RowStore.Entry match : matches) {
          if (match.associations == 0) emitPadded(1 - row.port(), match.row(), false, out);
          others.associate(match, match.associations + (replaced == null ? 1 : 0));
        }
      }
      byte kind =
          add
              ? (outer[row.port()] || otherIsOuter ? RowKinds.INSERT : row.kind())
              : (outer[row.port()] ? RowKinds.DELETE : row.kind());
      for (RowStore.Entry match : matches)
        out.emit(kind, inputs.joined(left, row.values(), match.row()));
      if (!add && otherIsOuter) {
        for (RowStore.Entry match : matches) {
          int remaining = inputs.remaining(match, left, own);
          if (remaining == 0 && match.associations > 0) {
            emitPadded(1 - row.port(), match.row(), true, out);
          }
          others.associate(match, remaining);
        }
      }
      return Outcome.joined(add, present, true);
    }

    private List<RowStore.Entry> matches(boolean inputIsLeft, Object[] input, RowStore others) {
      List<RowStore.Entry> matches = new ArrayList<>();
      if (others.count() == 0) return matches;
      for (RowStore.Entry stored : others.rows()) {
        if (!stored.removed && inputs.matches(inputIsLeft, input, stored.row()))
          matches.add(stored);
      }
      return matches;
    }

    private void emitPadded(int port, Object[] row, boolean add, Out out) {
      out.emit(add ? RowKinds.INSERT : RowKinds.DELETE, inputs.padded(port, row));
    }
  }
}
