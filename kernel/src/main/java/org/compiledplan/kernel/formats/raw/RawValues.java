package org.compiledplan.kernel.formats.raw;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Shape;

/** The bytes of one value in the format `raw`: no quotes, no type, no length. */
final class RawValues {
  private final Shape type;
  private final Charset charset;
  private final ByteOrder order;

  RawValues(Shape type, Map<String, String> options) {
    this.type = type;
    this.charset = Charset.forName(options.getOrDefault("charset", "UTF-8"));
    this.order =
        "little-endian".equals(options.get("endianness"))
            ? ByteOrder.LITTLE_ENDIAN
            : ByteOrder.BIG_ENDIAN;
  }

  /** Decodes a value into Spark's internal form. */
  Object read(byte[] bytes) {
    int expected = width();
    if (expected > 0 && bytes.length != expected) {
      throw new DataException(
          bytes.length + " bytes cannot be read as " + type.text() + ", which has " + expected);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
    return switch (type.root()) {
      case "CHAR", "VARCHAR" ->
          charset.equals(StandardCharsets.UTF_8)
              ? UTF8String.fromBytes(bytes)
              : UTF8String.fromString(new String(bytes, charset));
      case "BINARY", "VARBINARY" -> bytes;
      case "BOOLEAN" -> bytes[0] != 0;
      case "TINYINT" -> bytes[0];
      case "SMALLINT" -> buffer.getShort();
      case "INTEGER" -> buffer.getInt();
      case "BIGINT" -> buffer.getLong();
      case "FLOAT" -> buffer.getFloat();
      case "DOUBLE" -> buffer.getDouble();
      default -> throw unfit();
    };
  }

  /** Encodes a value that is not null. */
  byte[] write(SpecializedGetters row, int position) {
    ByteBuffer buffer = ByteBuffer.allocate(Math.max(0, width())).order(order);
    return switch (type.root()) {
      case "CHAR", "VARCHAR" ->
          charset.equals(StandardCharsets.UTF_8)
              ? row.getUTF8String(position).getBytes()
              : row.getUTF8String(position).toString().getBytes(charset);
      case "BINARY", "VARBINARY" -> row.getBinary(position);
      case "BOOLEAN" -> new byte[] {(byte) (row.getBoolean(position) ? 1 : 0)};
      case "TINYINT" -> new byte[] {row.getByte(position)};
      case "SMALLINT" -> buffer.putShort(row.getShort(position)).array();
      case "INTEGER" -> buffer.putInt(row.getInt(position)).array();
      case "BIGINT" -> buffer.putLong(row.getLong(position)).array();
      case "FLOAT" -> buffer.putFloat(row.getFloat(position)).array();
      case "DOUBLE" -> buffer.putDouble(row.getDouble(position)).array();
      default -> throw unfit();
    };
  }

  /** Number of bytes of a value, 0 if it depends on the value. */
  private int width() {
    return switch (type.root()) {
      case "BOOLEAN", "TINYINT" -> 1;
      case "SMALLINT" -> 2;
      case "INTEGER", "FLOAT" -> 4;
      case "BIGINT", "DOUBLE" -> 8;
      default -> 0;
    };
  }

  private IllegalArgumentException unfit() {
    return new IllegalArgumentException("raw does not hold values of type " + type.text());
  }
}
