package org.compiledplan.kernel.state;

import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ValueType;

/**
 * What is done with the fields of a state: reading ({@link ByteFields.Reader}) and writing ({@link
 * ByteFields.Writer}) bytes, the same by name ({@link TreeFields}), or telling what they are
 * ({@link SchemaFields}). Each method takes the present value, which readers ignore, and returns
 * the value that holds from here on.
 */
public interface Fields {
  /** A whole number; small magnitudes are short. */
  long number(String name, long value);

  /** A whole number that is not negative; small ones are short. */
  long count(String name, long value);

  /** A point in time, in ms. */
  long time(String name, long value);

  /** A point in time near another one that is known already. */
  long timeNear(String name, long base, long value);

  /** A point in time that may be missing. */
  OptionalLong maybeTime(String name, OptionalLong value);

  boolean flag(String name, boolean value);

  /** A number of one byte that is not negative, such as a row's kind. */
  int code(String name, int value);

  double real(String name, double value);

  byte[] bytes(String name, byte[] value);

  /** A value of a column, null too. */
  Object value(String name, ValueType type, Object value);

  Object[] row(String name, Columns columns, Object[] value);

  /** A row or null. */
  Object[] maybeRow(String name, Columns columns, Object[] value);

  /** Values of columns of one type; readers add them to the collection. */
  void values(String name, ValueType type, Collection<Object> values);

  /** Rows; readers add them to the collection. */
  void rows(String name, Columns columns, Collection<Object[]> rows);

  /** A row that is decoded when it is needed, or {@link PackedRow#NONE}. */
  PackedRow packedRow(String name, Columns columns, PackedRow value);

  /** Parts of one form; readers add them to the collection. */
  default <T extends Stored> void list(
      String name, Collection<T> values, Supplier<? extends T> fresh) {
    list(name, values, fresh, values::add);
  }

  /** Parts of one form; readers give each to {@code add}. */
  <T extends Stored> void list(
      String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add);

  /** Parts of one form that are decoded when they are needed. */
  void packedList(String name, PackedList<?> values);

  /** A part with fields of its own. */
  void part(String name, Stored value);

  /** A part that says of which form it is, with its length. */
  void frame(String name, Framed value);

  /** Several of those, decoded when they are needed. */
  void frames(String name, Frames<?> values);
}
