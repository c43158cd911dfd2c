package org.compiledplan.kernel.operators.window;

import static org.compiledplan.kernel.operators.join.JoinInputs.LEFT;
import static org.compiledplan.kernel.operators.join.JoinInputs.RIGHT;

import java.util.List;
import org.compiledplan.kernel.operators.base.EntryTimes;
import org.compiledplan.kernel.operators.base.InputRow;
import org.compiledplan.kernel.operators.base.Operator;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.operators.base.Outcome;
import org.compiledplan.kernel.operators.base.StateKind;
import org.compiledplan.kernel.operators.join.JoinInputs;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;

/**
 * Joins the rows of one window and key when the window is complete (Flink's WindowJoinOperator).
 */
public final class WindowJoin implements AttachedWindow.Content<WindowJoin.Sides> {

  private final JoinInputs inputs;
  private final ValueType[][] types;
  private final boolean semi;
  private final boolean anti;

  /** Per input, true if unmatched rows are emitted. */
  private final boolean[] outer;

  private WindowJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    types = spec.inputs();
    String type = spec.text("joinType");
    semi = type.equals("SEMI");
    anti = type.equals("ANTI");
    outer = JoinInputs.outer(type);
    outer[LEFT] |= anti;
    if (!outer[LEFT] && !outer[RIGHT] && !semi && !type.equals("INNER")) {
      throw spec.problem("has unknown join type " + type);
    }
  }

  public static Operator create(OperatorSpec spec) {
    return new AttachedWindow<>(spec, StateKind.WINDOW_JOIN, false, new WindowJoin(spec));
  }

  final class Sides implements Stored {
    private final RowList[] of = {
      new RowList(Columns.ofInput(LEFT, types[LEFT])),
      new RowList(Columns.ofInput(RIGHT, types[RIGHT]))
    };

    @Override
    public void fields(Fields io) {
      io.part("left", of[LEFT]);
      io.part("right", of[RIGHT]);
    }
  }

  @Override
  public Sides empty() {
    return new Sides();
  }

  @Override
  public Outcome add(Sides sides, InputRow row) {
    if (!outer[row.port()] && inputs.hasNullKey(row)) return Outcome.UNMATCHED;
    sides.of[row.port()].add(RowKinds.INSERT, row.values());
    return Outcome.HELD;
  }

  @Override
  public int entries(Sides sides) {
    return sides.of[LEFT].size() + sides.of[RIGHT].size();
  }

  @Override
  public void entryTimes(Sides sides, long end, EntryTimes to) {
    for (int port = LEFT; port <= RIGHT; port++) {
      for (int i = sides.of[port].size(); i > 0; i--) to.entry(port, EntryTimes.NONE, end);
    }
  }

  @Override
  public void emit(Sides sides, Out out) {
    List<Object[]> rights = sides.of[RIGHT].rows();
    boolean[] matched = new boolean[rights.size()];
    for (Object[] left : sides.of[LEFT].rows()) {
      out.check();
      boolean hasMatch = false;
      for (int i = 0; i < matched.length && !(hasMatch && (semi || anti)); i++) {
        if (!matches(left, rights.get(i))) continue;
        hasMatch = true;
        matched[i] = true;
        if (!semi && !anti) out.emit(RowKinds.INSERT, inputs.joined(true, left, rights.get(i)));
      }
      if (semi && hasMatch || anti && !hasMatch) out.emit(RowKinds.INSERT, left);
      else if (outer[LEFT] && !anti && !hasMatch)
        out.emit(RowKinds.INSERT, inputs.padded(LEFT, left));
    }
    if (!outer[RIGHT]) return;
    for (int i = 0; i < matched.length; i++) {
      if (!matched[i]) out.emit(RowKinds.INSERT, inputs.padded(RIGHT, rights.get(i)));
    }
  }

  /** Rows of one key match unless a null in the key forbids it or the condition is false. */
  private boolean matches(Object[] left, Object[] right) {
    return !inputs.hasNullKey(LEFT, left) && inputs.matches(true, left, right);
  }
}
