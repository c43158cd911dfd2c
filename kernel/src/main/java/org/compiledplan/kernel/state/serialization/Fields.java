package org.compiledplan.kernel.state.serialization;

import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ValueType;

/**
 * A visitor of a state's fields: reads ({@link ByteFields.Reader}) or writes ({@link
 * ByteFields.Writer}) bytes, reads or writes values by name ({@link TreeFields}), or records the
 * schema ({@link SchemaFields}). Each method takes the field's name, which is part of the released
 * format, and its current value, which readers ignore, and returns the new value.
 */
public interface Fields {
  /** An integer; encoded in fewer bytes if it is close to 0. */
  long number(String name, long value);

  /** A non-negative integer; encoded in fewer bytes if it is small. */
  long count(String name, long value);

  /** A point in time, in ms since 1970. */
  long time(String name, long value);

  /** A point in time in ms since 1970, encoded as difference from {@code base}. */
  long timeNear(String name, long base, long value);

  /** An optional point in time, in ms since 1970. */
  OptionalLong maybeTime(String name, OptionalLong value);

  /** A boolean, in one byte. */
  boolean flag(String name, boolean value);

  /** A non-negative number of one byte, such as a changelog kind. */
  int code(String name, int value);

  /** A double, in eight bytes. */
  double real(String name, double value);

  /** Bytes, prefixed by their length. */
  byte[] bytes(String name, byte[] value);

  /** A column value, may be null. */
  Object value(String name, ValueType type, Object value);

  /** A row, not null. */
  Object[] row(String name, Columns columns, Object[] value);

  /** A row, may be null. */
  Object[] maybeRow(String name, Columns columns, Object[] value);

  /** Column values of one type; readers add them to the collection. */
  void values(String name, ValueType type, Collection<Object> values);

  /** Rows; readers add them to the collection. */
  void rows(String name, Columns columns, Collection<Object[]> rows);

  /** A row decoded on demand, or {@link PackedRow#NONE}. */
  PackedRow packedRow(String name, Columns columns, PackedRow value);

  /**
   * Parts of one form; readers add them to the collection.
   *
   * @param fresh creates an empty part to read into
   */
  default <T extends Stored> void list(
      String name, Collection<T> values, Supplier<? extends T> fresh) {
    list(name, values, fresh, values::add);
  }

  /**
   * Parts of one form; readers pass each to {@code add}.
   *
   * @param fresh creates an empty part to read into
   */
  <T extends Stored> void list(
      String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add);

  /** Parts of one form, decoded on demand. */
  void packedList(String name, PackedList<?> values);

  /** A nested part. */
  void part(String name, Stored value);

  /** A part that is prefixed by its form, version and length. */
  void frame(String name, Framed value);

  /** Several frames, decoded on demand. */
  void frames(String name, Frames<?> values);
}
