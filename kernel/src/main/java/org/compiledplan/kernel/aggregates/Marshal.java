package org.compiledplan.kernel.aggregates;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.Micros;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;

/**
 * Values in version 2 of Python's {@code marshal} format: implemented in C in Python, and built
 * here from decoded values, so that no bytes from state reach it. Rows are lists, dates are days,
 * instants are microseconds, decimals their unscaled integers.
 */
final class Marshal {
  private static final int DIGIT_BITS = 15;
  private static final int DIGIT = (1 << DIGIT_BITS) - 1;
  private static final int END_OF_MAP = '0';

  private Marshal() {}

  static void write(Object value, ByteWriter out) {
    if (value == null) {
      out.writeByte('N');
    } else if (value instanceof String) {
      bytes('u', ((String) value).getBytes(StandardCharsets.UTF_8), out);
    } else if (value instanceof Double) {
      out.writeByte('g');
      out.writeFixedLong(Long.reverseBytes(Double.doubleToRawLongBits((Double) value)));
    } else if (value instanceof BigDecimal) {
      whole(((BigDecimal) value).unscaledValue(), out);
    } else if (value instanceof Number) {
      whole(((Number) value).longValue(), out);
    } else if (value instanceof List) {
      list((List<?>) value, out);
    } else if (value instanceof Struct) {
      list(Arrays.asList(((Struct) value).fields()), out);
    } else if (value instanceof Map) {
      out.writeByte('{');
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        write(entry.getKey(), out);
        write(entry.getValue(), out);
      }
      out.writeByte(END_OF_MAP);
    } else if (value instanceof Boolean) {
      out.writeByte((Boolean) value ? 'T' : 'F');
    } else if (value instanceof byte[]) {
      bytes('s', (byte[]) value, out);
    } else if (value instanceof LocalDate) {
      whole(((LocalDate) value).toEpochDay(), out);
    } else if (value instanceof LocalDateTime) {
      whole(Micros.of((LocalDateTime) value), out);
    } else {
      whole(Micros.of(LocalDateTime.ofInstant((Instant) value, ZoneOffset.UTC)), out);
    }
  }

  private static void bytes(int tag, byte[] bytes, ByteWriter out) {
    out.writeByte(tag);
    number(bytes.length, out);
    out.writeBytes(bytes, 0, bytes.length);
  }

  private static void list(List<?> values, ByteWriter out) {
    out.writeByte('[');
    number(values.size(), out);
    for (Object value : values) write(value, out);
  }

  private static void whole(long value, ByteWriter out) {
    if (value != (int) value) {
      whole(BigInteger.valueOf(value), out);
      return;
    }
    out.writeByte('i');
    number((int) value, out);
  }

  private static void whole(BigInteger value, ByteWriter out) {
    BigInteger rest = value.abs();
    int digits = (rest.bitLength() + DIGIT_BITS - 1) / DIGIT_BITS;
    out.writeByte('l');
    number(value.signum() < 0 ? -digits : digits, out);
    for (int i = 0; i < digits; i++) {
      int digit = rest.intValue() & DIGIT;
      out.writeByte(digit);
      out.writeByte(digit >>> 8);
      rest = rest.shiftRight(DIGIT_BITS);
    }
  }

  private static void number(int value, ByteWriter out) {
    for (int shift = 0; shift < Integer.SIZE; shift += 8) out.writeByte(value >>> shift);
  }

  /** Reads a value of a type; the writer has validated it. */
  static Object read(ByteReader in, ValueType type) {
    return read(in, in.readByte(), type);
  }

  private static Object read(ByteReader in, int tag, ValueType type) {
    return switch (tag) {
      case 'N' -> null;
      case 'T' -> true;
      case 'F' -> false;
      case 'i' -> number(number(in), type);
      case 'l' -> whole(in, type);
      case 'g' -> Double.longBitsToDouble(Long.reverseBytes(in.readFixedLong()));
      case 'u' -> new String(in.readBytes(number(in)), StandardCharsets.UTF_8);
      case 's' -> in.readBytes(number(in));
      case '[' -> list(in, type);
      case '{' -> {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int next = in.readByte(); next != END_OF_MAP; next = in.readByte()) {
          Object key = read(in, next, type.children()[0]);
          map.put(key, read(in, type.children()[1]));
        }
        yield map;
      }
      default -> throw new IllegalStateException("unknown tag " + tag + " in an accumulator");
    };
  }

  private static Object list(ByteReader in, ValueType type) {
    Object[] values = new Object[number(in)];
    boolean isRow = type.kind() == ValueType.Kind.ROW;
    for (int i = 0; i < values.length; i++) values[i] = read(in, type.children()[isRow ? i : 0]);
    return isRow ? new Struct(values) : Arrays.asList(values);
  }

  private static Object number(long value, ValueType type) {
    return switch (type.kind()) {
      case DATE -> LocalDate.ofEpochDay(value);
      case TIMESTAMP -> Micros.instant(value);
      case TIMESTAMP_NTZ -> Micros.local(value);
      case DECIMAL -> BigDecimal.valueOf(value, type.scale());
      default -> type.integral(value);
    };
  }

  private static Object whole(ByteReader in, ValueType type) {
    int size = number(in);
    BigInteger value = BigInteger.ZERO;
    for (int i = 0; i < Math.abs(size); i++) {
      long digit = (in.readByte() & 0xFF) | (in.readByte() & 0xFF) << 8;
      value = value.or(BigInteger.valueOf(digit).shiftLeft(i * DIGIT_BITS));
    }
    if (size < 0) value = value.negate();
    if (type.kind() == ValueType.Kind.DECIMAL) return new BigDecimal(value, type.scale());
    return number(value.longValueExact(), type);
  }

  private static int number(ByteReader in) {
    int value = 0;
    for (int shift = 0; shift < Integer.SIZE; shift += 8) value |= (in.readByte() & 0xFF) << shift;
    return value;
  }
}
