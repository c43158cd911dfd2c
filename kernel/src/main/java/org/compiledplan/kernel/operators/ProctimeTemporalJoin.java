package org.compiledplan.kernel.operators;

import java.util.OptionalLong;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;

/**
 * Joins each left row with the right row that is there when it comes. Follows Flink's
 * TemporalProcessTimeJoinOperator.
 */
final class ProctimeTemporalJoin implements Idle {
  private static final int LEFT = 0;

  private final JoinInputs inputs;
  private final Columns columns;
  private final StateFormat<Current> format;
  private final boolean outer;

  ProctimeTemporalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    columns = Columns.ofInput(1, spec.inputs[1]);
    format = new StateFormat<>(spec, StateKind.TEMPORAL_JOIN_PROCTIME, Current::new);
    outer = TemporalJoin.isOuter(spec);
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {}

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  /** The right row that is there. */
  private final class Current implements KeyState {
    private Object[] row;

    @Override
    public void fields(Fields io) {
      row = io.row("row", columns, row);
    }

    @Override
    public int entries() {
      return row == null ? 0 : 1;
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return OptionalLong.empty();
    }
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;

    /** Null until it is needed. */
    private Current current;

    private int before;
    private boolean changed;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    private void load() {
      if (current != null) return;
      current = state.read(format);
      before = current.entries();
    }

    @Override
    public void process(InputRow row, Out out) {
      boolean matchesNothing = inputs.hasNullKey(row);
      if (!matchesNothing) load();
      if (row.port() != LEFT) {
        if (matchesNothing) return;
        current.row = RowKinds.isAdd(row.kind()) ? row.values() : null;
        changed = true;
      } else if (!matchesNothing
          && current.row != null
          && inputs.condition.test(row.values(), current.row)) {
        out.emit(row.kind(), TemporalJoin.joined(row.values(), current.row));
      } else if (outer) {
        out.emit(row.kind(), TemporalJoin.joined(row.values(), new Object[columns.types().length]));
      }
    }

    @Override
    public void close(Out out) {
      if (changed) format.save(state, current, context, before);
    }
  }
}
