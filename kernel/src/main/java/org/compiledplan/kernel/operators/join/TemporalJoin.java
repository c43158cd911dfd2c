package org.compiledplan.kernel.operators.join;

import static org.compiledplan.kernel.operators.join.JoinInputs.LEFT;
import static org.compiledplan.kernel.operators.join.JoinInputs.RIGHT;

import java.util.List;
import java.util.OptionalLong;
import org.compiledplan.kernel.operators.base.BatchContext;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.Idle;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.KeyState;
import org.compiledplan.kernel.operators.base.KeyedOperator;
import org.compiledplan.kernel.operators.base.KeyedState;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.Rowtime;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.compiledplan.kernel.operators.base.WaitingRows;
import org.compiledplan.kernel.operators.base.WaitingRows.Waiting;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.RowKinds;

/**
 * Joins each left row with the version of the right row that was valid at its time. Follows Flink's
 * TemporalRowTimeJoinOperator: left rows wait for the watermark; a right row is a version from its
 * time until the next one, a deletion ends it; of two versions with the same time the later arrival
 * counts. The newest version not after the watermark is retained.
 */
public final class TemporalJoin extends KeyedOperator<TemporalJoin.Sides> implements Idle {

  private final JoinInputs inputs;
  private final Columns leftColumns;
  private final Columns rightColumns;
  private final boolean outer;
  private final int[] time;
  private final boolean sharedWatermark;

  public TemporalJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    leftColumns = Columns.ofInput(LEFT, spec.inputs()[LEFT]);
    rightColumns = Columns.ofInput(RIGHT, spec.inputs()[RIGHT]);
    define(spec, StateKind.TEMPORAL_JOIN, Sides::new, Work::new);
    outer = isOuter(spec);
    time = new int[] {spec.column("leftTime"), spec.column("rightTime")};
    sharedWatermark = spec.flag("sharedWatermark");
  }

  static boolean isOuter(OperatorSpec spec) {
    String type = spec.text("joinType");
    if (!type.equals("LEFT") && !type.equals("INNER")) throw spec.problem("cannot join as " + type);
    return type.equals("LEFT");
  }

  @Override
  public void fire(Sides stored, BatchContext context, Out out) {
    List<Waiting> due = stored.left.take(context.watermark());
    for (Waiting waiting : due) {
      Object[] row = waiting.row();
      Object[] version = stored.right.at(waiting.time(), waiting.due());
      out.at(waiting.due());
      if (version != null && inputs.condition.test(row, version))
        out.emit(waiting.kind(), inputs.joined(true, row, version));
      else if (outer) out.emit(waiting.kind(), inputs.padded(LEFT, row));
    }
    stored.right.forget(context.watermark());
  }

  private final class Work extends KeyWork {

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out out) {
      if (inputs.hasNullKey(row)) {
        if (row.port() != LEFT || !outer) return Outcome.UNMATCHED;
        out.emit(row.kind(), inputs.padded(LEFT, row.values()));
        return Outcome.APPLIED;
      }
      // The previous version is stored already.
      if (row.port() == RIGHT && row.kind() == RowKinds.UPDATE_BEFORE) return Outcome.DUPLICATE;
      changed = true;
      long at = Rowtime.of(row.values(), time[row.port()]);
      // Without a common watermark, the watermark of both inputs counts after the batch's rows.
      long watermark = sharedWatermark ? row.watermark() : Long.MIN_VALUE;
      if (row.port() == LEFT) current().left.add(at, watermark, row.kind(), row.values());
      else current().right.add(at, WaitingRows.due(at, watermark), row.kind(), row.values());
      return Outcome.HELD;
    }
  }

  /** Versions of the right row, and waiting left rows. */
  final class Sides implements KeyState {
    private final RowVersions right = new RowVersions(rightColumns);
    private final WaitingRows left = new WaitingRows(leftColumns);

    @Override
    public void fields(Fields io) {
      io.part("right", right);
      io.part("left", left);
    }

    @Override
    public int entries() {
      return right.count() + left.count();
    }

    @Override
    public void entryTimes(EntryTimes to) {
      left.entryTimes(LEFT, to);
      right.entryTimes(RIGHT, to);
    }

    @Override
    public OptionalLong nextDue(BatchContext context) {
      return TimeMath.earlier(left.firstDue(), right.nextForgetting());
    }
  }
}
