package org.compiledplan.kernel.operators;

/**
 * Semi and anti joins: left rows that match, or match not, any right row. Follows Flink's
 * StreamingSemiAntiJoinOperator: a left row knows how many right rows it matches.
 */
final class SemiAntiJoin implements Operator {
  private final JoinInputs inputs;
  private final StateFormat<RowStores> format;
  private final boolean anti;

  SemiAntiJoin(OperatorSpec spec) {
    inputs = new JoinInputs(spec);
    RowStore.Layout[] layouts = inputs.layouts(spec);
    format = new StateFormat<>(spec, StateKind.JOIN, () -> new RowStores(layouts));
    anti = spec.text("joinType").equals("ANTI");
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
      if (inputs.hasNullKey(row)) {
        if (anti && row.port == JoinInputs.LEFT) out.emit(row.kind, row.values);
        return;
      }
      if (stores == null) stores = RowStores.open(format, state, context);
      if (row.port == JoinInputs.LEFT) processLeft(row, out);
      else processRight(row, out);
    }

    private void processLeft(InputRow row, Out out) {
      RowStore others = stores.get(JoinInputs.RIGHT);
      int matches = 0;
      if (others.count() > 0) {
        for (RowStore.Entry stored : others.rows()) {
          if (!stored.removed && inputs.condition.test(row.values, stored.row())) matches++;
        }
      }
      if (matches > 0 != anti) out.emit(row.kind, row.values);
      if (RowKinds.isAdd(row.kind)) stores.get(JoinInputs.LEFT).add(row.values, matches);
      else stores.get(JoinInputs.LEFT).retract(row.values);
    }

    private void processRight(InputRow row, Out out) {
      boolean add = RowKinds.isAdd(row.kind);
      if (add) stores.get(JoinInputs.RIGHT).add(row.values, 0);
      else stores.get(JoinInputs.RIGHT).retract(row.values);
      RowStore others = stores.get(JoinInputs.LEFT);
      if (others.count() == 0) return;
      for (RowStore.Entry stored : others.rows()) {
        if (stored.removed || !inputs.condition.test(stored.row(), row.values)) continue;
        int before = stored.associations;
        if (add && before == 0) {
          out.emit(anti ? RowKinds.DELETE : row.kind, stored.row());
        } else if (!add && before == 1) {
          out.emit(anti ? RowKinds.INSERT : row.kind, stored.row());
        }
        others.associate(stored, Math.max(0, before + (add ? 1 : -1)));
      }
    }

    @Override
    public void close(Out out) {
      if (stores != null) stores.save(format, state, context);
    }
  }
}
