package org.compiledplan.kernel.operators.join;

import static org.compiledplan.kernel.operators.join.JoinInputs.LEFT;

import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.Idle;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Joins each left row with the current right row. Follows Flink's TemporalProcessTimeJoinOperator.
 */
public final class ProctimeTemporalJoin extends KeyedOperator<ProctimeTemporalJoin.Current>
    implements Idle {

  private final JoinInputs inputs;
  private final Columns columns;
  private final boolean outer;

  public ProctimeTemporalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    columns = Columns.ofInput(1, spec.inputs()[1]);
    define(spec, StateKind.TEMPORAL_JOIN_PROCTIME, Current::new, Work::new);
    outer = TemporalJoin.isOuter(spec);
  }

  @Override
  protected boolean postsEntries() {
    return true;
  }

  /** The current right row. */
  final class Current implements KeyState {
    private Object[] row;

    @Override
    public void fields(Fields io) {
      row = io.row("row", columns, row);
    }

    @Override
    public int entries() {
      return row == null ? 0 : 1;
    }
  }

  private final class Work extends KeyWork {
    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      boolean matchesNothing = inputs.hasNullKey(row);
      if (row.port() != LEFT) {
        return matchesNothing ? Outcome.UNMATCHED : replaceBy(row);
      }
      Object[] right = matchesNothing ? null : current().row;
      if (right != null && inputs.condition.test(row.values(), right)) {
        out.emit(row.kind(), inputs.joined(true, row.values(), right));
      } else if (outer) {
        out.emit(row.kind(), inputs.padded(LEFT, row.values()));
      } else {
        return Outcome.UNMATCHED;
      }
      return Outcome.APPLIED;
    }

    private Outcome replaceBy(InputRow row) {
      boolean adds = RowKinds.isAdd(row.kind()), isThere = current().row != null;
      if (adds) account.created(1);
      if (isThere && adds) account.replaced(1);
      else if (isThere) account.retracted(1);
      current().row = adds ? row.values() : null;
      changed = true;
      return adds || isThere ? Outcome.APPLIED : Outcome.ABSENT;
    }
  }
}
