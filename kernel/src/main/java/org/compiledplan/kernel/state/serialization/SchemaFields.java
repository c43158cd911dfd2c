package org.compiledplan.kernel.state.serialization;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.compiledplan.kernel.state.serialization.FieldShape.Is;
import org.compiledplan.kernel.values.ValueType;

/** Records the schema of a state. */
public final class SchemaFields implements Fields {
  private final List<FieldShape> fields = new ArrayList<>();

  private SchemaFields() {}

  /** Returns the fields of a fresh part. */
  public static List<FieldShape> of(Stored fresh) {
    SchemaFields schema = new SchemaFields();
    fresh.fields(schema);
    return List.copyOf(schema.fields);
  }

  private <T> T field(String name, Is is, T value) {
    fields.add(new FieldShape(name, is, null, null, null, null));
    return value;
  }

  private <T> T typed(String name, Is is, ValueType type, T value) {
    fields.add(new FieldShape(name, is, type, null, null, null));
    return value;
  }

  private <T> T columns(String name, Is is, Columns columns, T value) {
    fields.add(new FieldShape(name, is, null, columns, null, null));
    return value;
  }

  private void parts(String name, Is is, Stored fresh) {
    fields.add(new FieldShape(name, is, null, null, of(fresh), null));
  }

  private void framed(String name, Is is, List<FrameShape> frames) {
    fields.add(new FieldShape(name, is, null, null, null, frames));
  }

  @Override
  public long number(String name, long value) {
    return field(name, Is.NUMBER, value);
  }

  @Override
  public long count(String name, long value) {
    return field(name, Is.COUNT, value);
  }

  @Override
  public long time(String name, long value) {
    return field(name, Is.TIME, value);
  }

  @Override
  public long timeNear(String name, long base, long value) {
    return field(name, Is.TIME_NEAR, value);
  }

  @Override
  public OptionalLong maybeTime(String name, OptionalLong value) {
    return field(name, Is.MAYBE_TIME, value);
  }

  @Override
  public boolean flag(String name, boolean value) {
    return field(name, Is.FLAG, value);
  }

  @Override
  public int code(String name, int value) {
    return field(name, Is.CODE, value);
  }

  @Override
  public double real(String name, double value) {
    return field(name, Is.REAL, value);
  }

  @Override
  public byte[] bytes(String name, byte[] value) {
    return field(name, Is.BYTES, value);
  }

  @Override
  public Object value(String name, ValueType type, Object value) {
    return typed(name, Is.VALUE, type, value);
  }

  @Override
  public Object[] row(String name, Columns columns, Object[] value) {
    return columns(name, Is.ROW, columns, value);
  }

  @Override
  public Object[] maybeRow(String name, Columns columns, Object[] value) {
    return columns(name, Is.MAYBE_ROW, columns, value);
  }

  @Override
  public void values(String name, ValueType type, Collection<Object> values) {
    typed(name, Is.VALUES, type, values);
  }

  @Override
  public void rows(String name, Columns columns, Collection<Object[]> rows) {
    columns(name, Is.ROWS, columns, rows);
  }

  @Override
  public PackedRow packedRow(String name, Columns columns, PackedRow value) {
    return columns(name, Is.PACKED_ROW, columns, value);
  }

  @Override
  public <T extends Stored> void list(
      String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add) {
    parts(name, Is.LIST, fresh.get());
  }

  @Override
  public void packedList(String name, PackedList<?> values) {
    parts(name, Is.PACKED_LIST, values.fresh());
  }

  @Override
  public void part(String name, Stored value) {
    parts(name, Is.PART, value);
  }

  @Override
  public void frame(String name, Framed value) {
    framed(name, Is.FRAME, List.of(new FrameShape(value, null)));
  }

  @Override
  public void frames(String name, Frames<?> values) {
    List<FrameShape> shapes = new ArrayList<>();
    Framed[] framed = values.parts();
    for (int i = 0; i < framed.length; i++) {
      shapes.add(new FrameShape(framed[i], values.description(i)));
    }
    framed(name, Is.FRAMES, List.copyOf(shapes));
  }
}
