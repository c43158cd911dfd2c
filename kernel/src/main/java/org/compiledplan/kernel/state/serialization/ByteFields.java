package org.compiledplan.kernel.state.serialization;

import java.util.Collection;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** Binary encoding of fields. Reader and writer mirror each other. */
public final class ByteFields {
  private ByteFields() {}

  /** Reads fields. Packed rows and lists refer to the array that is read from. */
  public record Reader(ByteReader in) implements Fields {
    @Override
    public long number(String name, long value) {
      return in.readSigned();
    }

    @Override
    public long count(String name, long value) {
      return in.readVarLong();
    }

    @Override
    public long time(String name, long value) {
      return in.readFixedLong();
    }

    @Override
    public long timeNear(String name, long base, long value) {
      return base + in.readSigned();
    }

    @Override
    public OptionalLong maybeTime(String name, OptionalLong value) {
      return in.readByte() == 0 ? OptionalLong.empty() : OptionalLong.of(in.readFixedLong());
    }

    @Override
    public boolean flag(String name, boolean value) {
      return in.readByte() != 0;
    }

    @Override
    public int code(String name, int value) {
      return in.readByte();
    }

    @Override
    public double real(String name, double value) {
      return Double.longBitsToDouble(in.readFixedLong());
    }

    @Override
    public byte[] bytes(String name, byte[] value) {
      return in.readBytes(in.readVarInt());
    }

    @Override
    public Object value(String name, ValueType type, Object value) {
      return ValueCodec.read(in, type);
    }

    @Override
    public Object[] row(String name, Columns columns, Object[] value) {
      return ValueCodec.readRow(in, columns.types());
    }

    @Override
    public Object[] maybeRow(String name, Columns columns, Object[] value) {
      return in.readByte() == 0 ? null : ValueCodec.readRow(in, columns.types());
    }

    @Override
    public void values(String name, ValueType type, Collection<Object> values) {
      for (int left = in.readVarInt(); left > 0; left--) values.add(ValueCodec.read(in, type));
    }

    @Override
    public void rows(String name, Columns columns, Collection<Object[]> rows) {
      for (int left = in.readVarInt(); left > 0; left--) {
        rows.add(ValueCodec.readRow(in, columns.types()));
      }
    }

    @Override
    public PackedRow packedRow(String name, Columns columns, PackedRow value) {
      int length = in.readVarInt();
      PackedRow row = new PackedRow(in.array(), in.position(), length);
      in.skip(length);
      return row;
    }

    @Override
    public <T extends Stored> void list(
        String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add) {
      for (int left = in.readVarInt(); left > 0; left--) {
        T element = fresh.get();
        element.fields(this);
        add.accept(element);
      }
    }

    @Override
    public void packedList(String name, PackedList<?> values) {
      values.read(in);
    }

    @Override
    public void part(String name, Stored value) {
      value.fields(this);
    }

    @Override
    public void frame(String name, Framed value) {
      int code = in.readVarInt();
      int version = in.readVarInt();
      int length = in.readVarInt();
      if (!value.switchTo(there -> there.code() == code && there.version() == version)) {
        Framed.Form form = value.form();
        throw new StateFormatException(
            ("the state holds form %s in version %s where %s, which is form %s in version %s, "
                    + "is expected")
                .formatted(code, version, form.text(), form.code(), form.version()));
      }
      int end = in.position() + length;
      value.fields(this);
      if (in.position() != end) {
        throw new StateFormatException(
            value.form().text() + " is " + length + " bytes long, of which not all are known");
      }
    }

    @Override
    public void frames(String name, Frames<?> values) {
      values.read(in);
    }
  }

  /** Writes fields and returns its arguments. */
  public record Writer(ByteWriter out) implements Fields {
    @Override
    public long number(String name, long value) {
      out.writeSigned(value);
      return value;
    }

    @Override
    public long count(String name, long value) {
      out.writeVarLong(value);
      return value;
    }

    @Override
    public long time(String name, long value) {
      out.writeFixedLong(value);
      return value;
    }

    @Override
    public long timeNear(String name, long base, long value) {
      out.writeSigned(value - base);
      return value;
    }

    @Override
    public OptionalLong maybeTime(String name, OptionalLong value) {
      out.writeByte(value.isPresent() ? 1 : 0);
      if (value.isPresent()) out.writeFixedLong(value.getAsLong());
      return value;
    }

    @Override
    public boolean flag(String name, boolean value) {
      out.writeByte(value ? 1 : 0);
      return value;
    }

    @Override
    public int code(String name, int value) {
      out.writeByte(value);
      return value;
    }

    @Override
    public double real(String name, double value) {
      out.writeFixedLong(Double.doubleToLongBits(value));
      return value;
    }

    @Override
    public byte[] bytes(String name, byte[] value) {
      out.writeVarLong(value.length);
      out.writeBytes(value, 0, value.length);
      return value;
    }

    @Override
    public Object value(String name, ValueType type, Object value) {
      ValueCodec.write(value, out);
      return value;
    }

    @Override
    public Object[] row(String name, Columns columns, Object[] value) {
      ValueCodec.writeRow(value, out);
      return value;
    }

    @Override
    public Object[] maybeRow(String name, Columns columns, Object[] value) {
      out.writeByte(value == null ? 0 : 1);
      if (value != null) ValueCodec.writeRow(value, out);
      return value;
    }

    @Override
    public void values(String name, ValueType type, Collection<Object> values) {
      out.writeVarLong(values.size());
      for (Object value : values) ValueCodec.write(value, out);
    }

    @Override
    public void rows(String name, Columns columns, Collection<Object[]> rows) {
      out.writeVarLong(rows.size());
      for (Object[] row : rows) ValueCodec.writeRow(row, out);
    }

    @Override
    public PackedRow packedRow(String name, Columns columns, PackedRow value) {
      out.writeVarLong(value.length);
      out.writeBytes(value.buffer, value.offset, value.length);
      return value;
    }

    @Override
    public <T extends Stored> void list(
        String name, Collection<T> values, Supplier<? extends T> fresh, Consumer<T> add) {
      out.writeVarLong(values.size());
      for (T element : values) element.fields(this);
    }

    @Override
    public void packedList(String name, PackedList<?> values) {
      values.write(out);
    }

    @Override
    public void part(String name, Stored value) {
      value.fields(this);
    }

    @Override
    public void frame(String name, Framed value) {
      Framed.Form form = value.form();
      out.writeVarLong(form.code());
      out.writeVarLong(form.version());
      int start = out.begin();
      value.fields(this);
      out.end(start);
    }

    @Override
    public void frames(String name, Frames<?> values) {
      values.write(out);
    }
  }
}
