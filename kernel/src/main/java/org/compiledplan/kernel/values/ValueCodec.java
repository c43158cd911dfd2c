package org.compiledplan.kernel.values;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Binary encoding of values. A tag before each value identifies its kind, so a value can be read as
 * a wider type than the one it was written with.
 *
 * <p>The encoding is canonical: integers of all widths share one form, as do FLOAT and DOUBLE, and
 * a row's trailing nulls are omitted. Equal rows thus have equal bytes, even after a column was
 * widened or a nullable column was appended.
 */
public final class ValueCodec {
  private static final int NULL = 0;
  private static final int FALSE = 1;
  private static final int TRUE = 2;
  private static final int INTEGRAL = 3;
  private static final int FLOATING = 4;
  private static final int SMALL_DECIMAL = 5;
  private static final int BIG_DECIMAL = 6;
  private static final int TEXT = 7;
  private static final int BYTES = 8;
  private static final int DATE = 9;
  private static final int TIME = 10;
  private static final int INSTANT = 11;
  private static final int DATE_TIME = 12;
  private static final int DURATION = 13;
  private static final int PERIOD = 14;
  private static final int ROW = 15;
  private static final int LIST = 16;
  private static final int MAP = 17;

  private ValueCodec() {}

  /** Writes a row: the number of its fields up to the last that is not null, then those fields. */
  public static void writeRow(Object[] row, ByteWriter out) {
    int count = row.length;
    while (count > 0 && row[count - 1] == null) count--;
    out.writeVarLong(count);
    for (int i = 0; i < count; i++) write(row[i], out);
  }

  /** Reads a row of {@code types}; missing fields are null, additional ones are dropped. */
  public static Object[] readRow(ByteReader in, ValueType[] types) {
    int count = in.readVarInt();
    Object[] row = new Object[types.length];
    for (int i = 0; i < count; i++) {
      Object value = read(in, i < types.length ? types[i] : null);
      if (i < types.length) row[i] = value;
    }
    return row;
  }

  public static void write(Object value, ByteWriter out) {
    if (value == null) {
      out.writeByte(NULL);
    } else if (value instanceof String) {
      byte[] text = Texts.bytes((String) value);
      out.writeByte(TEXT);
      out.writeVarLong(text.length);
      out.writeBytes(text, 0, text.length);
    } else if (value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte) {
      out.writeByte(INTEGRAL);
      out.writeSigned(((Number) value).longValue());
    } else if (value instanceof Double || value instanceof Float) {
      out.writeByte(FLOATING);
      out.writeFixedLong(Double.doubleToLongBits(((Number) value).doubleValue()));
    } else if (value instanceof BigDecimal) {
      writeDecimal((BigDecimal) value, out);
    } else if (value instanceof Boolean) {
      out.writeByte((Boolean) value ? TRUE : FALSE);
    } else if (value instanceof byte[]) {
      byte[] bytes = (byte[]) value;
      out.writeByte(BYTES);
      out.writeVarLong(bytes.length);
      out.writeBytes(bytes, 0, bytes.length);
    } else if (value instanceof LocalDateTime time) {
      writeTime(DATE_TIME, time.toEpochSecond(ZoneOffset.UTC), time.getNano(), out);
    } else if (value instanceof Instant) {
      writeTime(INSTANT, ((Instant) value).getEpochSecond(), ((Instant) value).getNano(), out);
    } else if (value instanceof LocalDate) {
      out.writeByte(DATE);
      out.writeSigned(((LocalDate) value).toEpochDay());
    } else {
      writeOther(value, out);
    }
  }

  private static void writeOther(Object value, ByteWriter out) {
    if (value instanceof Struct) {
      out.writeByte(ROW);
      writeRow(((Struct) value).fields(), out);
    } else if (value instanceof List) {
      List<?> list = (List<?>) value;
      out.writeByte(LIST);
      out.writeVarLong(list.size());
      for (Object element : list) write(element, out);
    } else if (value instanceof Map) {
      Map<?, ?> map = (Map<?, ?>) value;
      out.writeByte(MAP);
      out.writeVarLong(map.size());
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        write(entry.getKey(), out);
        write(entry.getValue(), out);
      }
    } else if (value instanceof LocalTime) {
      out.writeByte(TIME);
      out.writeVarLong(((LocalTime) value).toNanoOfDay());
    } else if (value instanceof Duration) {
      writeTime(DURATION, ((Duration) value).getSeconds(), ((Duration) value).getNano(), out);
    } else if (value instanceof Period) {
      out.writeByte(PERIOD);
      out.writeSigned(((Period) value).toTotalMonths());
    } else {
      throw new IllegalArgumentException(
          "values of class " + value.getClass().getName() + " cannot be stored in state");
    }
  }

  private static void writeDecimal(BigDecimal value, ByteWriter out) {
    BigInteger unscaled = value.unscaledValue();
    boolean small = unscaled.bitLength() < 64;
    out.writeByte(small ? SMALL_DECIMAL : BIG_DECIMAL);
    out.writeSigned(value.scale());
    if (small) {
      out.writeSigned(unscaled.longValue());
    } else {
      byte[] bytes = unscaled.toByteArray();
      out.writeVarLong(bytes.length);
      out.writeBytes(bytes, 0, bytes.length);
    }
  }

  private static void writeTime(int tag, long seconds, int nanos, ByteWriter out) {
    out.writeByte(tag);
    out.writeSigned(seconds);
    out.writeVarLong(nanos);
  }

  /** Reads one value as the type; a null type accepts any value, which the caller drops. */
  public static Object read(ByteReader in, ValueType type) {
    int tag = in.readByte();
    return switch (tag) {
      case NULL -> null;
      case FALSE -> Boolean.FALSE;
      case TRUE -> Boolean.TRUE;
      case INTEGRAL -> number(in.readSigned(), type);
      case FLOATING -> floating(Double.longBitsToDouble(in.readFixedLong()), type);
      case SMALL_DECIMAL -> {
        int scale = (int) in.readSigned();
        yield decimal(BigDecimal.valueOf(in.readSigned(), scale), type);
      }
      case BIG_DECIMAL -> {
        int scale = (int) in.readSigned();
        yield decimal(new BigDecimal(new BigInteger(in.readBytes(in.readVarInt())), scale), type);
      }
      case TEXT -> {
        int length = in.readVarInt();
        String text = Texts.of(in.array(), in.position(), length);
        in.skip(length);
        yield text;
      }
      case BYTES -> in.readBytes(in.readVarInt());
      case DATE -> LocalDate.ofEpochDay(in.readSigned());
      case TIME -> LocalTime.ofNanoOfDay(in.readVarLong());
      case INSTANT -> Instant.ofEpochSecond(in.readSigned(), in.readVarLong());
      case DATE_TIME ->
          LocalDateTime.ofEpochSecond(in.readSigned(), in.readVarInt(), ZoneOffset.UTC);
      case DURATION -> Duration.ofSeconds(in.readSigned(), in.readVarLong());
      case PERIOD -> {
        long months = in.readSigned();
        yield Period.of((int) (months / 12), (int) (months % 12), 0);
      }
      case ROW -> new Struct(readRow(in, type == null ? new ValueType[0] : type.children()));
      case LIST -> readList(in, type == null ? null : type.children()[0]);
      case MAP -> readMap(in, type);
      default -> throw new IllegalStateException("unknown tag " + tag + " in state bytes");
    };
  }

  private static List<Object> readList(ByteReader in, ValueType element) {
    int count = in.readVarInt();
    List<Object> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) list.add(read(in, element));
    return list;
  }

  private static Map<Object, Object> readMap(ByteReader in, ValueType type) {
    int count = in.readVarInt();
    Map<Object, Object> map = new LinkedHashMap<>(count * 2);
    for (int i = 0; i < count; i++) {
      Object key = read(in, type == null ? null : type.children()[0]);
      map.put(key, read(in, type == null ? null : type.children()[1]));
    }
    return map;
  }

  private static Object number(long number, ValueType type) {
    if (type == null) return number;
    return switch (type.kind()) {
      case FLOAT -> (float) number;
      case DOUBLE -> (double) number;
      case DECIMAL -> BigDecimal.valueOf(number).setScale(type.scale());
      default -> type.integral(number);
    };
  }

  private static Object floating(double number, ValueType type) {
    if (type != null && type.kind() == ValueType.Kind.FLOAT) return (float) number;
    return number;
  }

  private static Object decimal(BigDecimal number, ValueType type) {
    if (type == null || type.kind() != ValueType.Kind.DECIMAL || number.scale() == type.scale())
      return number;
    return number.setScale(type.scale(), java.math.RoundingMode.HALF_UP);
  }
}
