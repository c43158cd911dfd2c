package org.compiledplan.kernel.state.serialization;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ValueType;

/**
 * Fields by name: decoded state, independent of its bytes. Times and numbers are {@code Long},
 * missing values are null, a row is an {@code Object[]} of its columns' classes, a part is a {@link
 * Tree}, and several parts are a {@code List}. A frame has the name of its form, the version, and
 * its fields.
 */
public final class TreeFields {
  static final String FORM = "form";
  private static final String VERSION = "version";
  static final String FIELDS = "fields";

  private TreeFields() {}

  /** Methods that differ in bytes only are the same by name. */
  private interface ByName extends Fields {
    @Override
    default long count(String name, long value) {
      return number(name, value);
    }

    @Override
    default long time(String name, long value) {
      return number(name, value);
    }

    @Override
    default long timeNear(String name, long base, long value) {
      return number(name, value);
    }

    @Override
    default Object[] maybeRow(String name, Columns columns, Object[] value) {
      return row(name, columns, value);
    }
  }

  /** Collects fields into a tree. */
  public static final class Writer implements ByName {
    private final Tree tree = new Tree();

    /** Returns the fields of a part as a tree. */
    public static Tree of(Stored value) {
      Writer writer = new Writer();
      value.fields(writer);
      return writer.tree;
    }

    private <T> T put(String name, T value) {
      if (tree.put(name, value) != null) throw new IllegalStateException("two fields " + name);
      return value;
    }

    @Override
    public long number(String name, long value) {
      return put(name, value);
    }

    @Override
    public OptionalLong maybeTime(String name, OptionalLong value) {
      put(name, value.isPresent() ? (Long) value.getAsLong() : null);
      return value;
    }

    @Override
    public boolean flag(String name, boolean value) {
      return put(name, value);
    }

    @Override
    public int code(String name, int value) {
      put(name, (long) value);
      return value;
    }

    @Override
    public double real(String name, double value) {
      return put(name, value);
    }

    @Override
    public byte[] bytes(String name, byte[] value) {
      return put(name, value);
    }

    @Override
    public Object value(String name, ValueType type, Object value) {
      return put(name, value);
    }

    @Override
    public Object[] row(String name, Columns columns, Object[] value) {
      return put(name, value);
    }

    @Override
    public void values(String name, ValueType type, Collection<Object> values) {
      put(name, new ArrayList<>(values));
    }

    @Override
    public void rows(String name, Columns columns, Collection<Object[]> rows) {
      put(name, new ArrayList<>(rows));
    }

    @Override
    public PackedRow packedRow(String name, Columns columns, PackedRow value) {
      put(name, value.isNone() ? null : value.row(columns.types()));
      return value;
    }

    @Override
    public <T extends Stored> void list(
        String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add) {
      List<Object> parts = new ArrayList<>();
      for (T value : values) parts.add(of(value));
      put(name, parts);
    }

    @Override
    public void packedList(String name, PackedList<?> values) {
      List<Object> parts = new ArrayList<>();
      for (Stored value : values.all()) parts.add(of(value));
      put(name, parts);
    }

    @Override
    public void part(String name, Stored value) {
      put(name, of(value));
    }

    @Override
    public void frame(String name, Framed value) {
      put(name, framed(value));
    }

    @Override
    public void frames(String name, Frames<?> values) {
      List<Object> parts = new ArrayList<>();
      for (Framed value : values.parts()) parts.add(framed(value));
      put(name, parts);
    }

    static Tree framed(Framed value) {
      Tree frame = new Tree();
      frame.put(FORM, value.form().text());
      frame.put(VERSION, (long) value.form().version());
      frame.put(FIELDS, of(value));
      return frame;
    }
  }

  /** Sets the fields of a fresh part from a tree. */
  public record Reader(Tree tree) implements ByName {
    /**
     * Sets a fresh part from a tree.
     *
     * @throws StateFormatException if a field is missing, unknown, or of another class
     */
    public static void into(Stored fresh, Tree tree) {
      Reader reader = new Reader(new Tree(tree));
      fresh.fields(reader);
      if (!reader.tree.isEmpty()) {
        throw new StateFormatException("unknown fields " + reader.tree.keySet());
      }
    }

    private <T> T take(String name, Class<T> type) {
      if (!tree.containsKey(name)) throw new StateFormatException("no field " + name);
      Object value = tree.remove(name);
      if (value != null && !type.isInstance(value)) {
        throw new StateFormatException(name + " is " + value + ", no " + type.getSimpleName());
      }
      return type.cast(value);
    }

    private <T> T required(String name, Class<T> type) {
      T value = take(name, type);
      if (value == null) throw new StateFormatException(name + " is null");
      return value;
    }

    private static Tree tree(Object value) {
      if (!(value instanceof Tree)) throw new StateFormatException(value + " is no part");
      return (Tree) value;
    }

    @Override
    public long number(String name, long value) {
      return required(name, Long.class);
    }

    @Override
    public OptionalLong maybeTime(String name, OptionalLong value) {
      Long time = take(name, Long.class);
      return time == null ? OptionalLong.empty() : OptionalLong.of(time);
    }

    @Override
    public boolean flag(String name, boolean value) {
      return required(name, Boolean.class);
    }

    @Override
    public int code(String name, int value) {
      return Math.toIntExact(required(name, Long.class));
    }

    @Override
    public double real(String name, double value) {
      return required(name, Double.class);
    }

    @Override
    public byte[] bytes(String name, byte[] value) {
      return required(name, byte[].class);
    }

    @Override
    public Object value(String name, ValueType type, Object value) {
      return take(name, Object.class);
    }

    @Override
    public Object[] row(String name, Columns columns, Object[] value) {
      Object[] row = required(name, Object[].class);
      return checked(name, columns, row);
    }

    @Override
    public Object[] maybeRow(String name, Columns columns, Object[] value) {
      Object[] row = take(name, Object[].class);
      return row == null ? null : checked(name, columns, row);
    }

    @Override
    public void values(String name, ValueType type, Collection<Object> values) {
      for (Object value : required(name, List.class)) values.add(value);
    }

    @Override
    public void rows(String name, Columns columns, Collection<Object[]> rows) {
      for (Object row : required(name, List.class)) {
        if (!(row instanceof Object[])) throw new StateFormatException(row + " is no row");
        rows.add(checked(name, columns, (Object[]) row));
      }
    }

    @Override
    public PackedRow packedRow(String name, Columns columns, PackedRow value) {
      Object[] row = take(name, Object[].class);
      return row == null ? PackedRow.NONE : PackedRow.of(checked(name, columns, row));
    }

    private static Object[] checked(String name, Columns columns, Object[] row) {
      if (row.length != columns.types().length) {
        throw new StateFormatException(
            name + " has " + row.length + " columns, not " + columns.types().length);
      }
      return row;
    }

    @Override
    public <T extends Stored> void list(
        String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add) {
      for (Object part : required(name, List.class)) {
        T element = fresh.get();
        into(element, tree(part));
        add.accept(element);
      }
    }

    @Override
    public void packedList(String name, PackedList<?> values) {
      for (Object part : required(name, List.class)) {
        Stored element = values.fresh();
        into(element, tree(part));
        values.addStored(element);
      }
    }

    @Override
    public void part(String name, Stored value) {
      into(value, tree(required(name, Tree.class)));
    }

    @Override
    public void frame(String name, Framed value) {
      unframe(required(name, Tree.class), value);
    }

    @Override
    public void frames(String name, Frames<?> values) {
      List<?> frames = required(name, List.class);
      Framed[] parts = values.parts();
      if (frames.size() != parts.length) {
        throw new StateFormatException(
            name + " has " + frames.size() + " parts, not " + parts.length);
      }
      for (int i = 0; i < parts.length; i++) unframe(frames.get(i), parts[i]);
    }

    private static void unframe(Object frame, Framed value) {
      Tree of = tree(frame);
      if (!value.switchTo(
          there ->
              there.text().equals(of.get(FORM))
                  && Long.valueOf(there.version()).equals(of.get(VERSION)))) {
        Framed.Form form = value.form();
        throw new StateFormatException(
            "a part is %s in version %s, not %s in version %s"
                .formatted(of.get(FORM), of.get(VERSION), form.text(), form.version()));
      }
      into(value, tree(of.get(FIELDS)));
    }
  }
}
