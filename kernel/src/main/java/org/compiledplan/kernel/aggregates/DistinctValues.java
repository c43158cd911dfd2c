package org.compiledplan.kernel.aggregates;

import java.util.Arrays;
import java.util.Objects;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.Values;

/** Values of one type by position, including null: integers unboxed, others as objects. */
abstract class DistinctValues {
  /** Approximate size in bytes of an object besides its text, bytes or fields. */
  private static final int OBJECT_BYTES = 56;

  /** Creates an empty store without capacity. */
  static DistinctValues of(ValueType type) {
    return type.isIntegral() ? new Numbers(type) : new Others();
  }

  abstract void widen(int places);

  abstract void set(int place, Object value);

  abstract Object get(int place);

  abstract boolean isAt(int place, Object value);

  /** Hash of a value: the upper bits compare values, the lower bits select slots. */
  abstract long hash(Object value);

  /** Approximate size in bytes. */
  abstract long bytes();

  private static long spread(long bits) {
    long product = bits * 0x9e3779b97f4a7c15L;
    return product ^ product >>> 32;
  }

  private static final class Numbers extends DistinctValues {
    private final ValueType type;
    private long[] values = {};
    private int nullAt = -1;

    Numbers(ValueType type) {
      this.type = type;
    }

    @Override
    void widen(int places) {
      values = Arrays.copyOf(values, places);
    }

    @Override
    void set(int place, Object value) {
      if (value == null) nullAt = place;
      else values[place] = ((Number) value).longValue();
    }

    @Override
    Object get(int place) {
      return place == nullAt ? null : type.integral(values[place]);
    }

    @Override
    boolean isAt(int place, Object value) {
      return value == null
          ? place == nullAt
          : place != nullAt && values[place] == ((Number) value).longValue();
    }

    @Override
    long hash(Object value) {
      return value == null ? 0 : spread(((Number) value).longValue());
    }

    @Override
    long bytes() {
      return (long) Long.BYTES * values.length;
    }
  }

  private static final class Others extends DistinctValues {
    private Object[] values = {};
    private long bytes;

    @Override
    void widen(int places) {
      values = Arrays.copyOf(values, places);
    }

    @Override
    void set(int place, Object value) {
      values[place] = value;
      bytes += size(value);
    }

    private static long size(Object value) {
      long size = OBJECT_BYTES;
      if (value instanceof String) size += ((String) value).length();
      if (value instanceof byte[]) size += ((byte[]) value).length;
      if (value instanceof Struct)
        for (Object field : ((Struct) value).fields()) size += size(field);
      return size;
    }

    @Override
    Object get(int place) {
      return values[place];
    }

    @Override
    boolean isAt(int place, Object value) {
      return Objects.equals(Values.mapKey(values[place]), Values.mapKey(value));
    }

    @Override
    long hash(Object value) {
      return value == null ? 0 : spread(Values.mapKey(value).hashCode());
    }

    @Override
    long bytes() {
      return bytes + (long) Integer.BYTES * values.length;
    }
  }
}
