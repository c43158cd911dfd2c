package org.compiledplan.kernel.values;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Equality, hash and order of column values, null included where a method says so. */
public final class Values {
  private Values() {}

  /** Equality of two values, nulls equal; bytes by content, decimals by value, -0.0 equals 0.0. */
  public static boolean equal(Object a, Object b) {
    if (a == b) return true;
    if (a == null || b == null) return false;
    if (a instanceof byte[]) return b instanceof byte[] && Arrays.equals((byte[]) a, (byte[]) b);
    if (a instanceof BigDecimal && b instanceof BigDecimal) {
      return ((BigDecimal) a).compareTo((BigDecimal) b) == 0;
    }
    if (a instanceof Double && b instanceof Double) {
      return ((Double) a).doubleValue() == ((Double) b).doubleValue() || a.equals(b);
    }
    if (a instanceof Float && b instanceof Float) {
      return ((Float) a).floatValue() == ((Float) b).floatValue() || a.equals(b);
    }
    if (a instanceof List && b instanceof List) return equalLists((List<?>) a, (List<?>) b);
    if (a instanceof Map && b instanceof Map) return equalMaps((Map<?, ?>) a, (Map<?, ?>) b);
    return a.equals(b);
  }

  /** Equality of two rows of the same length, field by field. */
  public static boolean equalRows(Object[] a, Object[] b) {
    if (a == b) return true;
    if (a.length != b.length) return false;
    for (int i = 0; i < a.length; i++) {
      if (!equal(a[i], b[i])) return false;
    }
    return true;
  }

  /** Equality of two rows in the fields {@code fields} only. */
  public static boolean equalFields(Object[] a, Object[] b, int[] fields) {
    for (int field : fields) {
      if (!equal(a[field], b[field])) return false;
    }
    return true;
  }

  /**
   * Position of the first row that equals {@code row} in some fields, or in all if null; else -1.
   */
  public static int indexOf(List<Object[]> rows, Object[] row, int[] fields) {
    for (int i = 0; i < rows.size(); i++) {
      boolean same =
          fields == null ? equalRows(rows.get(i), row) : equalFields(rows.get(i), row, fields);
      if (same) return i;
    }
    return -1;
  }

  private static boolean equalLists(List<?> a, List<?> b) {
    if (a.size() != b.size()) return false;
    Iterator<?> right = b.iterator();
    for (Object value : a) {
      if (!equal(value, right.next())) return false;
    }
    return true;
  }

  private static boolean equalMaps(Map<?, ?> a, Map<?, ?> b) {
    if (a.size() != b.size()) return false;
    for (Map.Entry<?, ?> entry : a.entrySet()) {
      Object value = b.get(entry.getKey());
      if (value == null && !b.containsKey(entry.getKey())) return false;
      if (!equal(entry.getValue(), value)) return false;
    }
    return true;
  }

  /** Hash of a row that agrees with {@link #equalRows}. */
  public static int hashRow(Object[] row) {
    int hash = 1;
    for (Object value : row) hash = 31 * hash + hash(value);
    return hash;
  }

  private static int hash(Object value) {
    if (value == null) return 0;
    if (value instanceof byte[]) return Arrays.hashCode((byte[]) value);
    if (value instanceof BigDecimal) return Double.hashCode(((BigDecimal) value).doubleValue());
    if (value instanceof Double) return Double.hashCode((Double) value + 0.0);
    if (value instanceof Float) return Float.hashCode((Float) value + 0.0f);
    if (value instanceof List) {
      int hash = 1;
      for (Object element : (List<?>) value) hash = 31 * hash + hash(element);
      return hash;
    }
    if (value instanceof Map) return ((Map<?, ?>) value).size();
    return value.hashCode();
  }

  /**
   * A substitute for the value that serves as a hash key, in which floating-point numbers are equal
   * by their bits; null stays null.
   */
  public static Object mapKey(Object value) {
    if (value instanceof byte[]) return ByteBuffer.wrap((byte[]) value);
    if (!(value instanceof Struct)) return value;
    List<Object> fields = new ArrayList<>();
    for (Object field : ((Struct) value).fields()) fields.add(mapKey(field));
    return fields;
  }

  /**
   * Order of two values of one type, neither null. Text compares by its UTF-8 bytes and bytes as
   * unsigned numbers, as Flink's binary strings do; false before true; -0.0 equals 0.0 and NaN is
   * the greatest.
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public static int compare(Object a, Object b) {
    if (a instanceof String) return compareText((String) a, (String) b);
    if (a instanceof byte[]) return Arrays.compareUnsigned((byte[]) a, (byte[]) b);
    if (a instanceof Double) {
      double x = (Double) a;
      double y = (Double) b;
      return x == y ? 0 : Double.compare(x, y);
    }
    if (a instanceof Float) {
      float x = (Float) a;
      float y = (Float) b;
      return x == y ? 0 : Float.compare(x, y);
    }
    if (a instanceof Struct) return compareRows(((Struct) a).fields(), ((Struct) b).fields());
    if (a instanceof List) return compareRows(((List<?>) a).toArray(), ((List<?>) b).toArray());
    if (a instanceof Comparable) return ((Comparable) a).compareTo(b);
    throw new IllegalArgumentException(
        "values of " + a.getClass().getSimpleName() + " have no order");
  }

  private static int compareRows(Object[] a, Object[] b) {
    for (int i = 0; i < Math.min(a.length, b.length); i++) {
      int order = compareNullsFirst(a[i], b[i]);
      if (order != 0) return order;
    }
    return Integer.compare(a.length, b.length);
  }

  private static int compareNullsFirst(Object a, Object b) {
    if (a == null || b == null) return a == b ? 0 : a == null ? -1 : 1;
    return compare(a, b);
  }

  /** Code point order, which is the order of the UTF-8 bytes. */
  private static int compareText(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean surrogateX = Character.isSurrogate(x);
        boolean surrogateY = Character.isSurrogate(y);
        return surrogateX != surrogateY ? (surrogateX ? 1 : -1) : x - y;
      }
    }
    return a.length() - b.length();
  }
}
