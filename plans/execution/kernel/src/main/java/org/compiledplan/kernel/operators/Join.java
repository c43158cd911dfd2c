package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;

/**
 * Inner, left, right and full joins of two changelogs. Follows Flink's StreamingJoinOperator: a row
 * of an outer input is padded with nulls while it matches nothing, which it knows by the number of
 * rows it is associated with.
 */
final class Join implements Operator {
  private final JoinInputs inputs;
  private final StateFormat<RowStores> format;
  private final boolean[] outer;
  private final int leftWidth;
  private final int width;

  Join(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    RowStore.Layout[] layouts = inputs.layouts(spec);
    format = new StateFormat<>(spec, StateKind.JOIN, () -> new RowStores(layouts));
    String type = spec.text("joinType");
    outer =
        new boolean[] {
          type.equals("LEFT") || type.equals("FULL"), type.equals("RIGHT") || type.equals("FULL")
        };
    if (!outer[0] && !outer[1] && !type.equals("INNER"))
      throw spec.problem("has unknown join type " + type);
    leftWidth = spec.inputs[0].length;
    width = leftWidth + spec.inputs[1].length;
  }

  @Override
  public StateFormat<?> stateFormat() {
    return format;
  }

  @Override
  public Session open(KeyedState state, BatchContext context) {
    return new Work(state, context);
  }

  @Override
  public void onTimer(KeyedState state, BatchContext context, Out out) {
    RowStores.onTimer(format, state, context);
  }

  private Object[] joined(Object[] left, Object[] right) {
    Object[] row = new Object[width];
    if (left != null) System.arraycopy(left, 0, row, 0, leftWidth);
    if (right != null) System.arraycopy(right, 0, row, leftWidth, width - leftWidth);
    return row;
  }

  private final class Work implements Session {
    private final KeyedState state;
    private final BatchContext context;
    private RowStores stores;

    Work(KeyedState state, BatchContext context) {
      this.state = state;
      this.context = context;
    }

    @Override
    public void process(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind);
      if (inputs.hasNullKey(row)) {
        if (outer[row.port]) emitPadded(row.port, row.values, add, out);
        return;
      }
      if (stores == null) stores = RowStores.open(format, state, context);
      if (outer[0] || outer[1]) processOuter(row, add, out);
      else processInner(row, add, out);
    }

    private void processInner(InputRow row, boolean add, Out out) {
      if (add) stores.get(row.port).add(row.values, 0);
      else stores.get(row.port).retract(row.values);
      RowStore others = stores.get(1 - row.port);
      if (others.count() == 0) return;
      boolean left = row.port == 0;
      for (RowStore.Entry stored : others.rows()) {
        if (stored.removed) continue;
        Object[] other = stored.row();
        if (inputs.matches(left, row.values, other))
          emitJoined(left, row.values, other, row.kind, out);
      }
    }

    private void processOuter(InputRow row, boolean add, Out out) {
      boolean left = row.port == 0;
      RowStore own = stores.get(row.port);
      RowStore others = stores.get(1 - row.port);
      List<RowStore.Entry> matches = matches(left, row.values, others);
      if (add) own.add(row.values, matches.size());
      else own.retract(row.values);
      if (matches.isEmpty()) {
        if (outer[row.port]) emitPadded(row.port, row.values, add, out);
        return;
      }
      boolean otherIsOuter = outer[1 - row.port];
      if (add && otherIsOuter) {
        for (RowStore.Entry match : matches) {
          if (match.associations == 0) emitPadded(1 - row.port, match.row(), false, out);
          others.associate(match, match.associations + 1);
        }
      }
      byte kind =
          add
              ? (outer[row.port] || otherIsOuter ? RowKinds.INSERT : row.kind)
              : (outer[row.port] ? RowKinds.DELETE : row.kind);
      for (RowStore.Entry match : matches) emitJoined(left, row.values, match.row(), kind, out);
      if (!add && otherIsOuter) {
        for (RowStore.Entry match : matches) {
          if (match.associations == 1) emitPadded(1 - row.port, match.row(), true, out);
          others.associate(match, Math.max(0, match.associations - 1));
        }
      }
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

    private void emitJoined(
        boolean inputIsLeft, Object[] input, Object[] other, byte kind, Out out) {
      out.emit(kind, inputIsLeft ? joined(input, other) : joined(other, input));
    }

    private void emitPadded(int port, Object[] row, boolean add, Out out) {
      out.emit(
          add ? RowKinds.INSERT : RowKinds.DELETE,
          port == 0 ? joined(row, null) : joined(null, row));
    }

    @Override
    public void close(Out out) {
      if (stores != null) stores.save(format, state, context);
    }
  }
}
