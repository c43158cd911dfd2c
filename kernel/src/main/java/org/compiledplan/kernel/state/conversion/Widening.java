package org.compiledplan.kernel.state.conversion;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;

/**
 * Converts values of one type into those of a type that can represent all of them: integers of more
 * bytes, decimals of more digits, DOUBLE for FLOAT, and rows, arrays and maps of these. Lengths of
 * texts and bytes and precisions of times are not distinguished here.
 *
 * @param apply converts a value
 * @param sameBytes true if values have the same bytes in state
 * @param sameText true if values have the same text in a key
 */
record Widening(UnaryOperator<Object> apply, boolean sameBytes, boolean sameText) {
  /** Values do not change. */
  private static final Widening NONE = new Widening(UnaryOperator.identity(), true, true);

  /** Digits of the greatest BYTE, SHORT, INT and LONG. */
  private static final int[] DIGITS = {3, 5, 10, 19};

  private static final int FLOAT_HOLDS = 7;
  private static final int DOUBLE_HOLDS = 15;

  Object apply(Object value) {
    return value == null ? null : apply.apply(value);
  }

  /** The widening between two types; null if some values cannot be represented. */
  static Widening of(ValueType from, ValueType to) {
    if (from.isIntegral()) return ofIntegral(from.kind(), to);
    if (from.kind() == Kind.DECIMAL) return ofDecimal(from, to);
    if (from.kind() == Kind.FLOAT && to.kind() == Kind.DOUBLE) {
      return new Widening(value -> ((Float) value).doubleValue(), true, true);
    }
    if (from.kind() != to.kind() || from.children().length != to.children().length) return null;
    if (from.children().length == 0) return NONE;
    Widening[] children = new Widening[from.children().length];
    boolean sameBytes = true;
    boolean sameText = true;
    for (int i = 0; i < children.length; i++) {
      children[i] = of(from.children()[i], to.children()[i]);
      if (children[i] == null) return null;
      sameBytes &= children[i].sameBytes;
      sameText &= children[i].sameText;
    }
    return new Widening(nested(to.kind(), children), sameBytes, sameText);
  }

  private static Widening ofIntegral(Kind from, ValueType to) {
    int digits = DIGITS[from.ordinal() - Kind.BYTE.ordinal()];
    if (to.isIntegral()) {
      if (to.kind().compareTo(from) < 0) return null;
      return to.kind() == from
          ? NONE
          : new Widening(value -> to.integral(((Number) value).longValue()), true, true);
    }
    if (to.kind() == Kind.DECIMAL && to.precision() - to.scale() >= digits) {
      return new Widening(
          value -> BigDecimal.valueOf(((Number) value).longValue()).setScale(to.scale()),
          false,
          false);
    }
    if (to.kind() == Kind.FLOAT && digits <= FLOAT_HOLDS) {
      return new Widening(value -> ((Number) value).floatValue(), false, false);
    }
    if (to.kind() == Kind.DOUBLE && digits <= DOUBLE_HOLDS) {
      return new Widening(value -> ((Number) value).doubleValue(), false, false);
    }
    return null;
  }

  private static Widening ofDecimal(ValueType from, ValueType to) {
    if (to.kind() != Kind.DECIMAL || to.scale() < from.scale()) return null;
    if (to.precision() - to.scale() < from.precision() - from.scale()) return null;
    if (to.scale() == from.scale()) return NONE;
    return new Widening(value -> ((BigDecimal) value).setScale(to.scale()), false, true);
  }

  private static UnaryOperator<Object> nested(Kind kind, Widening[] children) {
    return switch (kind) {
      case ROW ->
          value -> {
            Object[] fields = ((Struct) value).fields();
            Object[] wide = new Object[fields.length];
            for (int i = 0; i < wide.length; i++) wide[i] = children[i].apply(fields[i]);
            return new Struct(wide);
          };
      case ARRAY ->
          value -> {
            List<Object> wide = new ArrayList<>();
            for (Object element : (List<?>) value) wide.add(children[0].apply(element));
            return wide;
          };
      default ->
          value -> {
            Map<Object, Object> wide = new LinkedHashMap<>();
            ((Map<?, ?>) value)
                .forEach((key, to) -> wide.put(children[0].apply(key), children[1].apply(to)));
            return wide;
          };
    };
  }
}
