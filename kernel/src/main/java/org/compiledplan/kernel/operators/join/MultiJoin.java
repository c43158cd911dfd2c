package org.compiledplan.kernel.operators.join;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.compiledplan.kernel.values.Values;

/**
 * A chain of inner and left joins of several inputs on one key in one operator, without state for
 * intermediate results. Follows Flink's StreamingMultiJoinOperator: a row of input {@code k} is
 * joined depth first with its matches in the inputs before and after it. If it is a left-joined row
 * and the only match, the null-padded result is retracted first, or emitted again after a
 * retraction. Unlike Flink, an update that arrives without its {@code -U} retracts the results of
 * the replaced row alone.
 */
public final class MultiJoin extends JoinOperator {
  private static final Object[] NO_COLUMNS = {};

  private final int width;
  private final int[] offsets;
  private final boolean[] left;
  private final boolean innerOnly;
  private final RowPredicate[] conditions;
  private final RowStore.Layout[] layouts;

  public MultiJoin(OperatorSpec spec) {
    int count = spec.inputs().length;
    offsets = new int[count];
    left = new boolean[count];
    conditions = new RowPredicate[count];
    layouts = new RowStore.Layout[count];
    int offset = 0;
    boolean inner = true;
    for (int i = 0; i < count; i++) {
      offsets[i] = offset;
      offset += spec.inputs()[i].length;
      String type = spec.get("joinTypes").path(i).asText();
      if (!type.equals("INNER") && !type.equals("LEFT"))
        throw spec.problem("has a join of type " + type);
      left[i] = i > 0 && type.equals("LEFT");
      inner &= !left[i];
      conditions[i] = spec.condition(spec.get("conditions").path(i));
      layouts[i] = new RowStore.Layout(spec, i, smallestKey(spec.get("inputUniqueKeys").path(i)));
    }
    width = offset;
    define(spec, StateKind.MULTI_JOIN, () -> new RowStores(layouts), Work::new);
    innerOnly = inner;
  }

  private static int[] smallestKey(JsonNode keys) {
    int[] smallest = null;
    for (JsonNode key : keys) {
      if (smallest == null || key.size() < smallest.length) smallest = OperatorSpec.ints(key);
    }
    return smallest;
  }

  private final class Work extends JoinWork {
    private InputRow input;
    private Out out;
    private Object[] combination;

    /** Number of results of the last row. */
    private int results;

    /** True while results are compared, which uses no rows. */
    private boolean compares;

    Work(KeyedState state, BatchContext context) {
      super(state, context);
    }

    @Override
    public Outcome process(InputRow row, Out output) {
      RowStore own = store(row.port());
      boolean add = RowKinds.isAdd(row.kind());
      boolean present = add || own.retract(row.values());
      RowStore.Entry replaced = add ? own.replacedBy(row.values()) : null;
      if (replaced != null && !joinsAlike(row, replaced.row())) {
        own.retract(row.values());
        join(new InputRow(row.port(), RowKinds.DELETE, replaced.row(), row.watermark()), output);
        replaced = null;
      }
      join(row, output);
      if (add) own.replace(replaced, row.values(), 0);
      return Outcome.joined(add, present, results > 0);
    }

    private void join(InputRow row, Out output) {
      input = row;
      out = output;
      combination = new Object[width];
      results = 0;
      boolean add = RowKinds.isAdd(row.kind());
      join(0, innerOnly ? row.kind() : add ? RowKinds.INSERT : RowKinds.DELETE);
    }

    /** Returns true if a row matches the same rows as the stored row {@code old}. */
    private boolean joinsAlike(InputRow row, Object[] old) {
      InputRow before = new InputRow(row.port(), row.kind(), old, row.watermark());
      compares = true;
      List<Object[]> others = othersOf(before), now = othersOf(row);
      compares = false;
      if (others.size() != now.size()) return false;
      for (int i = 0; i < now.size(); i++) {
        if (!Values.equalRows(others.get(i), now.get(i))) return false;
      }
      return true;
    }

    /** Results of a row while the replaced row is stored, without the row's own columns. */
    private List<Object[]> othersOf(InputRow row) {
      List<Object[]> result = new ArrayList<>();
      int from = offsets[row.port()], to = from + row.values().length;
      join(
          row,
          (kind, values) -> {
            Arrays.fill(values, from, to, null);
            result.add(values);
          });
      return result;
    }

    /** Completes the combination from input {@code depth} on and emits the results. */
    private void join(int depth, byte kind) {
      if (depth == offsets.length) {
        results++;
        out.emit(kind, combination.clone());
      } else if (depth == input.port()) joinInput(depth, kind);
      else joinStored(depth, kind);
    }

    private void joinStored(int depth, byte kind) {
      RowStore store = store(depth);
      boolean any = false;
      if (store.count() > 0) {
        for (RowStore.Entry stored : store.rows()) {
          if (stored.removed || !matches(depth, stored.row())) continue;
          any = true;
          int before = results;
          join(depth + 1, kind);
          if (results > before && !compares) store.use(stored);
        }
      }
      if (!any && left[depth]) joinPadded(depth, kind);
    }

    private void joinInput(int depth, byte kind) {
      if (!matches(depth, input.values())) return;
      boolean add = RowKinds.isAdd(kind);
      boolean onlyMatch = left[depth] && !matchesStored(depth);
      if (add && onlyMatch) joinPadded(depth, RowKinds.DELETE);
      place(depth, input.values());
      join(depth + 1, kind);
      if (!add && onlyMatch) joinPadded(depth, RowKinds.INSERT);
    }

    private boolean matchesStored(int depth) {
      RowStore store = store(depth);
      if (store.count() == 0) return false;
      for (RowStore.Entry stored : store.rows()) {
        if (!stored.removed && matches(depth, stored.row())) return true;
      }
      return false;
    }

    private void joinPadded(int depth, byte kind) {
      Arrays.fill(
          combination,
          offsets[depth],
          offsets[depth] + layouts[depth].columns.types().length,
          null);
      join(depth + 1, kind);
    }

    /** Puts the row into the combination; returns true if it matches the rows before it. */
    private boolean matches(int depth, Object[] row) {
      place(depth, row);
      return conditions[depth].test(NO_COLUMNS, combination);
    }

    private void place(int depth, Object[] row) {
      System.arraycopy(row, 0, combination, offsets[depth], row.length);
    }
  }
}
