package org.compiledplan.kernel.functions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Functions on arrays and on values of any type. */
final class CollectionFunctions {
  private CollectionFunctions() {}

  static void register() {
    Registry.strict("HASH_CODE", a -> a[0].hashCode());
    Registry.strict("HASH_TIMESTAMP", a -> hashTimestamp((Long) a[0]));
    Registry.plain("ARRAY_JOIN", CollectionFunctions::join);
    Registry.strict("ARRAY_SORT_NUMBERS", CollectionFunctions::sortNumbers);
    Registry.strict("ARRAY_DISTINCT_NUMBERS", a -> distinctNumbers(a[0]));
    Registry.strict("ARRAY_UNION_NUMBERS", a -> distinctNumbers(a[0], a[1]));
    Registry.strict("ARRAY_EXCEPT_NUMBERS", a -> numbersIn(a[0], a[1], false));
    Registry.strict("ARRAY_INTERSECT_NUMBERS", a -> numbersIn(a[0], a[1], true));
  }

  /** Hash of the milliseconds, then of the remaining nanoseconds. */
  private static int hashTimestamp(long micros) {
    return 31 * Long.hashCode(Math.floorDiv(micros, 1000L))
        + (int) Math.floorMod(micros, 1000L) * 1000;
  }

  /** Null elements are omitted, or written as the third argument. */
  private static Object join(Object[] a) {
    if (a[0] == null || a[1] == null || a.length > 2 && a[2] == null) return null;
    StringBuilder result = new StringBuilder();
    boolean first = true;
    for (Iterator<?> items = ((Seq<?>) a[0]).iterator(); items.hasNext(); ) {
      Object item = items.next();
      if (item == null && a.length > 2) item = a[2];
      if (item != null) {
        result.append(first ? "" : a[1]).append(item);
        first = false;
      }
    }
    return result.toString();
  }

  /**
   * Sorts floating-point numbers, of which only the greater of two counts: equal ones and NaN have
   * no order, so that their places depend on the algorithm, which is that of Java's library.
   */
  private static Object sortNumbers(Object[] a) {
    Object[] values = list(a[0]).toArray();
    int greater = (Boolean) a[1] ? 1 : -1;
    Comparator<Object> order = (left, right) -> number(left) > number(right) ? greater : -greater;
    Arrays.sort(
        values, (Boolean) a[2] ? Comparator.nullsFirst(order) : Comparator.nullsLast(order));
    return values;
  }

  /** Elements that are unequal: of 0.0 and -0.0 the first, and every NaN, which equals nothing. */
  private static Object distinctNumbers(Object... arrays) {
    Set<Object> seen = new HashSet<>();
    List<Object> distinct = new ArrayList<>();
    for (Object array : arrays) {
      for (Object value : list(array)) {
        // The sum turns -0.0 into 0.0.
        if (isNan(value) || seen.add(value == null ? null : number(value) + 0.0))
          distinct.add(value);
      }
    }
    return distinct.toArray();
  }

  /**
   * Elements of an array that are in another one, or are not, each once. The hash codes of 0.0 and
   * -0.0 differ, which makes them two elements; NaN equals nothing.
   */
  private static Object numbersIn(Object array, Object other, boolean wanted) {
    Set<Object> others = new HashSet<>(list(other));
    Set<Object> seen = new HashSet<>();
    List<Object> result = new ArrayList<>();
    for (Object value : list(array)) {
      boolean within = !isNan(value) && others.contains(value);
      if (within == wanted && (isNan(value) || seen.add(value))) result.add(value);
    }
    return result.toArray();
  }

  private static List<Object> list(Object array) {
    List<Object> values = new ArrayList<>();
    for (Iterator<?> items = ((Seq<?>) array).iterator(); items.hasNext(); ) {
      values.add(items.next());
    }
    return values;
  }

  private static double number(Object value) {
    return ((Number) value).doubleValue();
  }

  private static boolean isNan(Object value) {
    return value != null && Double.isNaN(number(value));
  }
}
