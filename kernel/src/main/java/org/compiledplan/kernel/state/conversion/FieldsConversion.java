package org.compiledplan.kernel.state.conversion;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.compiledplan.kernel.state.serialization.FieldShape;
import org.compiledplan.kernel.state.serialization.Tree;

/** Converts the fields of one part of state into those of another, matched by name. */
final class FieldsConversion {
  /** Conversion of one field. */
  private static final class Step {
    /** The value does not change. */
    static final Step SAME = new Step(true, UnaryOperator.identity());

    final boolean sameBytes;

    /** The new value, from the old value and the part that contains it. */
    final BiFunction<Object, Tree, Object> apply;

    Step(boolean sameBytes, UnaryOperator<Object> apply) {
      this(sameBytes, (value, beside) -> apply.apply(value));
    }

    Step(boolean sameBytes, BiFunction<Object, Tree, Object> apply) {
      this.sameBytes = sameBytes;
      this.apply = apply;
    }
  }

  private final String[] names;
  private final Step[] steps;

  /** True if all bytes stay the same. */
  final boolean sameBytes;

  private FieldsConversion(String[] names, Step[] steps, boolean sameOrder) {
    this.names = names;
    this.steps = steps;
    boolean same = sameOrder;
    for (Step step : steps) same &= step.sameBytes;
    sameBytes = same;
  }

  static FieldsConversion of(
      List<FieldShape> old, List<FieldShape> next, ConversionPosition context) {
    Map<String, FieldShape> before = new LinkedHashMap<>();
    for (FieldShape field : old) before.put(field.name(), field);
    String[] names = new String[next.size()];
    Step[] steps = new Step[names.length];
    boolean sameOrder = old.size() == names.length;
    for (int i = 0; i < names.length; i++) {
      FieldShape field = next.get(i);
      names[i] = field.name();
      sameOrder = sameOrder && old.get(i).name().equals(field.name());
      FieldShape was = before.remove(field.name());
      if (was == null) throw context.in(field.name()).problem("the old state has no such field");
      steps[i] = step(was, field, context.in(field.name()));
    }
    if (!before.isEmpty()) {
      throw context.problem("the new state has no fields " + before.keySet());
    }
    return new FieldsConversion(names, steps, sameOrder);
  }

  private static Step step(FieldShape old, FieldShape next, ConversionPosition context) {
    if (old.is() != next.is()) {
      throw context.problem("it is " + next.is().text + " instead of " + old.is().text);
    }
    return switch (next.is()) {
      case VALUE, VALUES -> {
        Widening widening = context.widening(old.type(), next.type());
        yield next.is() == FieldShape.Is.VALUE
            ? new Step(widening.sameBytes(), widening::apply)
            : new Step(widening.sameBytes(), values -> mapped(values, widening::apply));
      }
      case ROW, MAYBE_ROW, PACKED_ROW, ROWS -> {
        RowConversion rows = RowConversion.of(old.columns(), next.columns(), context);
        yield next.is() == FieldShape.Is.ROWS
            ? new Step(rows.sameBytes, all -> mapped(all, row -> rows.apply((Object[]) row)))
            : new Step(rows.sameBytes, row -> rows.apply((Object[]) row));
      }
      case PART, LIST, PACKED_LIST -> {
        FieldsConversion part = of(old.fields(), next.fields(), context);
        yield next.is() == FieldShape.Is.PART
            ? new Step(part.sameBytes, tree -> part.apply((Tree) tree))
            : new Step(part.sameBytes, all -> mapped(all, tree -> part.apply((Tree) tree)));
      }
      case FRAME -> {
        FieldsConversion frame =
            FrameConversion.single(old.frames().get(0), next.frames().get(0), context);
        yield new Step(
            frame.sameBytes,
            tree -> FrameConversion.apply((Tree) tree, frame, old.frames().get(0)));
      }
      case FRAMES -> {
        FrameConversion frames = FrameConversion.of(old.frames(), next.frames(), context);
        yield new Step(frames.sameBytes, (all, beside) -> frames.apply((List<?>) all, beside));
      }
      default -> Step.SAME;
    };
  }

  private static List<Object> mapped(Object values, UnaryOperator<Object> apply) {
    List<Object> result = new ArrayList<>(((List<?>) values).size());
    for (Object value : (List<?>) values) result.add(apply.apply(value));
    return result;
  }

  Tree apply(Tree old) {
    Tree converted = new Tree();
    for (int i = 0; i < names.length; i++)
      converted.put(names[i], steps[i].apply.apply(old.get(names[i]), old));
    return converted;
  }
}
