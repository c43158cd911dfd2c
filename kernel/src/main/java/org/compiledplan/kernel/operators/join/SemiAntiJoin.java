package org.compiledplan.kernel.operators.join;

import static org.compiledplan.kernel.operators.join.JoinInputs.LEFT;
import static org.compiledplan.kernel.operators.join.JoinInputs.RIGHT;

import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Semi and anti joins: left rows with, or without, a matching right row. Follows Flink's
 * StreamingSemiAntiJoinOperator: a left row stores the number of its matches. Unlike Flink, an
 * update that arrives without its {@code -U} replaces the stored row, as in {@link Join}.
 */
public final class SemiAntiJoin extends JoinOperator {
  private final JoinInputs inputs;
  private final boolean anti;

  public SemiAntiJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    RowStore.Layout[] layouts = inputs.layouts(spec);
    define(spec, StateKind.JOIN, () -> new RowStores(layouts), Work::new);
    anti = spec.text("joinType").equals("ANTI");
  }

  private final class Work extends JoinWork {
    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (!inputs.hasNullKey(row))
        return row.port() == LEFT ? processLeft(row, out) : processRight(row, out);
      if (!anti || row.port() != LEFT) return Outcome.UNMATCHED;
      out.emit(row.kind(), row.values());
      return Outcome.APPLIED;
    }

    private Outcome processLeft(InputRow row, Out out) {
      RowStore others = store(RIGHT);
      int matches = 0;
      if (others.count() > 0) {
        for (RowStore.Entry stored : others.rows()) {
          if (stored.removed || !inputs.condition.test(row.values(), stored.row())) continue;
          matches++;
          others.use(stored);
        }
      }
      RowStore own = store(LEFT);
      boolean add = RowKinds.isAdd(row.kind());
      RowStore.Entry replaced = add ? own.replacedBy(row.values()) : null;
      boolean shown = matches > 0 != anti, present = true;
      boolean wasShown = replaced != null && replaced.associations > 0 != anti;
      if (shown) out.emit(row.kind(), row.values());
      else if (wasShown) out.emit(RowKinds.DELETE, replaced.row());
      if (add) own.replace(replaced, row.values(), matches);
      else present = own.retract(row.values());
      return Outcome.joined(add, present, shown || wasShown);
    }

    private Outcome processRight(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind());
      RowStore own = store(RIGHT);
      RowStore.Entry replaced = add ? own.replacedBy(row.values()) : null;
      Object[] gone = add ? (replaced == null ? null : replaced.row()) : row.values();
      boolean present = true, any = false;
      if (add) own.replace(replaced, row.values(), 0);
      else present = own.retract(row.values());
      RowStore others = store(LEFT);
      if (others.count() == 0) return Outcome.joined(add, present, false);
      for (RowStore.Entry stored : others.rows()) {
        if (stored.removed) continue;
        boolean matches = add && inputs.condition.test(stored.row(), row.values());
        boolean matched = gone != null && inputs.condition.test(stored.row(), gone);
        any |= matches || matched;
        if (matches || matched) others.use(stored);
        if (matches && !matched) {
          if (stored.associations == 0) out.emit(anti ? RowKinds.DELETE : row.kind(), stored.row());
          others.associate(stored, stored.associations + 1);
        } else if (matched && !matches) {
          int remaining = inputs.remaining(stored, false, own);
          if (remaining == 0 && stored.associations > 0)
            out.emit(anti ? RowKinds.INSERT : add ? RowKinds.DELETE : row.kind(), stored.row());
          others.associate(stored, remaining);
        } else if (matches) {
          others.associate(stored, stored.associations);
        }
      }
      return Outcome.joined(add, present, any);
    }
  }
}
