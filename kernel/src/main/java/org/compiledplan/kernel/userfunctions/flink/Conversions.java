package org.compiledplan.kernel.userfunctions.flink;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.util.function.Function;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.BinaryVariant;
import org.apache.flink.types.variant.Variant;
import org.compiledplan.kernel.values.Bitmaps;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import org.compiledplan.kernel.values.Variants;

/** The conversions of all types, by their conversion classes. */
final class Conversions {
  private static final long NANOS_OF_MILLI = 1_000_000;
  private static final long MILLIS_OF_SECOND = 1000;

  private Conversions() {}

  /**
   * The conversion of a type.
   *
   * @throws IllegalArgumentException if the type, or its conversion class, has none
   */
  static Conversion of(DataType dataType) {
    LogicalType type = dataType.getLogicalType();
    return switch (type.getTypeRoot()) {
      case BOOLEAN -> same(Kind.BOOLEAN);
      case TINYINT -> same(Kind.BYTE);
      case SMALLINT -> same(Kind.SHORT);
      case INTEGER -> same(Kind.INT);
      case BIGINT -> same(Kind.LONG);
      case FLOAT -> same(Kind.FLOAT);
      case DOUBLE -> same(Kind.DOUBLE);
      case BINARY, VARBINARY -> same(Kind.BINARY);
      case NULL -> same(Kind.STRING);
      case CHAR, VARCHAR -> text(dataType);
      case DECIMAL -> decimal((DecimalType) type, dataType);
      case DATE -> date(dataType);
      case TIME_WITHOUT_TIME_ZONE -> time(dataType);
      case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(dataType);
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> instant(dataType);
      case INTERVAL_YEAR_MONTH -> months((YearMonthIntervalType) type, dataType);
      case INTERVAL_DAY_TIME -> duration((DayTimeIntervalType) type, dataType);
      case ARRAY, MULTISET, MAP -> Collections.of(dataType);
      case ROW, STRUCTURED_TYPE -> Rows.of(dataType);
      case DISTINCT_TYPE ->
          of(
              org.apache.flink.table.types.utils.TypeConversions.fromLogicalToDataType(
                  ((DistinctType) type).getSourceType()));
      case BITMAP -> bitmap(dataType);
      case VARIANT -> variant(dataType);
      case RAW -> raw((RawType<?>) type, dataType);
      default ->
          throw new IllegalArgumentException("values of type " + type + " cannot be passed to it");
    };
  }

  private static Conversion same(Kind kind) {
    return simple(ValueType.of(kind), Function.identity(), Function.identity());
  }

  private static Conversion text(DataType type) {
    ValueType own = ValueType.of(Kind.STRING);
    if (is(type, String.class)) return simple(own, Function.identity(), Function.identity());
    if (is(type, StringData.class))
      return simple(own, value -> StringData.fromString((String) value), Object::toString);
    if (is(type, byte[].class))
      return simple(
          own,
          value -> ((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8),
          bytes -> new String((byte[]) bytes, java.nio.charset.StandardCharsets.UTF_8));
    throw unknown(type);
  }

  private static Conversion decimal(DecimalType logical, DataType type) {
    int precision = logical.getPrecision();
    int scale = logical.getScale();
    ValueType own = ValueType.decimal(precision, scale);
    Function<BigDecimal, Object> fitted =
        number -> {
          BigDecimal rounded = number.setScale(scale, RoundingMode.HALF_UP);
          return rounded.precision() > precision ? null : rounded;
        };
    if (is(type, BigDecimal.class))
      return simple(own, Function.identity(), number -> fitted.apply((BigDecimal) number));
    if (is(type, DecimalData.class))
      return simple(
          own,
          number -> DecimalData.fromBigDecimal((BigDecimal) number, precision, scale),
          number -> fitted.apply(((DecimalData) number).toBigDecimal()));
    throw unknown(type);
  }

  private static Conversion date(DataType type) {
    ValueType own = ValueType.of(Kind.DATE);
    if (is(type, LocalDate.class)) return simple(own, Function.identity(), Function.identity());
    if (is(type, java.sql.Date.class))
      return simple(
          own,
          value -> java.sql.Date.valueOf((LocalDate) value),
          date -> ((java.sql.Date) date).toLocalDate());
    if (is(type, Integer.class, int.class))
      return simple(
          own,
          value -> (int) ((LocalDate) value).toEpochDay(),
          days -> LocalDate.ofEpochDay((Integer) days));
    throw unknown(type);
  }

  /** Times are milliseconds of the day, as in columns. */
  private static Conversion time(DataType type) {
    ValueType own = ValueType.of(Kind.INT);
    if (is(type, LocalTime.class))
      return simple(
          own,
          value -> LocalTime.ofNanoOfDay((Integer) value * NANOS_OF_MILLI),
          time -> (int) (((LocalTime) time).toNanoOfDay() / NANOS_OF_MILLI));
    if (is(type, java.sql.Time.class))
      return simple(
          own,
          value -> java.sql.Time.valueOf(LocalTime.ofNanoOfDay((Integer) value * NANOS_OF_MILLI)),
          time -> ((java.sql.Time) time).toLocalTime().toSecondOfDay() * (int) MILLIS_OF_SECOND);
    if (is(type, Integer.class, int.class))
      return simple(own, Function.identity(), Function.identity());
    if (is(type, Long.class, long.class))
      return simple(
          own,
          value -> (Integer) value * NANOS_OF_MILLI,
          nanos -> (int) ((Long) nanos / NANOS_OF_MILLI));
    throw unknown(type);
  }

  private static Conversion timestamp(DataType type) {
    ValueType own = ValueType.of(Kind.TIMESTAMP_NTZ);
    if (is(type, LocalDateTime.class)) return simple(own, Function.identity(), Function.identity());
    if (is(type, java.sql.Timestamp.class))
      return simple(
          own,
          value -> java.sql.Timestamp.valueOf((LocalDateTime) value),
          time -> ((java.sql.Timestamp) time).toLocalDateTime());
    if (is(type, TimestampData.class))
      return simple(
          own,
          value -> TimestampData.fromLocalDateTime((LocalDateTime) value),
          time -> ((TimestampData) time).toLocalDateTime());
    throw unknown(type);
  }

  private static Conversion instant(DataType type) {
    ValueType own = ValueType.of(Kind.TIMESTAMP);
    if (is(type, Instant.class)) return simple(own, Function.identity(), Function.identity());
    if (is(type, java.sql.Timestamp.class))
      return simple(
          own,
          value -> java.sql.Timestamp.from((Instant) value),
          time -> ((java.sql.Timestamp) time).toInstant());
    if (is(type, Integer.class, int.class))
      return simple(
          own,
          value -> (int) ((Instant) value).getEpochSecond(),
          seconds -> Instant.ofEpochSecond((Integer) seconds));
    if (is(type, Long.class, long.class))
      return simple(
          own,
          value -> ((Instant) value).toEpochMilli(),
          millis -> Instant.ofEpochMilli((Long) millis));
    if (is(type, TimestampData.class))
      return simple(
          own,
          value -> TimestampData.fromInstant((Instant) value),
          time -> ((TimestampData) time).toInstant());
    throw unknown(type);
  }

  private static Conversion months(YearMonthIntervalType logical, DataType type) {
    ValueType own = ValueType.of(Kind.INT);
    if (is(type, Period.class)) {
      Function<Object, Object> period =
          switch (logical.getResolution()) {
            case YEAR -> value -> Period.ofYears((Integer) value / 12);
            case MONTH -> value -> Period.ofMonths((Integer) value);
            case YEAR_TO_MONTH -> value -> Period.ofMonths((Integer) value).normalized();
          };
      return simple(own, period, object -> (int) ((Period) object).toTotalMonths());
    }
    if (is(type, Integer.class, int.class))
      return simple(own, Function.identity(), Function.identity());
    throw unknown(type);
  }

  private static Conversion duration(DayTimeIntervalType logical, DataType type) {
    ValueType own = ValueType.of(Kind.LONG);
    if (is(type, Duration.class))
      return simple(
          own, value -> Duration.ofMillis((Long) value), object -> ((Duration) object).toMillis());
    if (is(type, Long.class, long.class))
      return simple(own, Function.identity(), Function.identity());
    throw unknown(type);
  }

  private static Conversion bitmap(DataType type) {
    if (!is(type, Bitmap.class)) throw unknown(type);
    return simple(
        ValueType.of(Kind.BINARY),
        value -> Bitmap.fromBytes((byte[]) value),
        // Written again, so that equal bitmaps have equal bytes.
        bitmap -> Bitmaps.write(Bitmaps.read(((Bitmap) bitmap).toBytes())));
  }

  private static Conversion variant(DataType type) {
    if (!is(type, Variant.class)) throw unknown(type);
    return simple(
        ValueType.of(Kind.BINARY),
        value -> {
          org.apache.spark.types.variant.Variant read = Variants.read((byte[]) value);
          return new BinaryVariant(read.getValue(), read.getMetadata());
        },
        object -> {
          BinaryVariant variant = (BinaryVariant) object;
          return Variants.write(
              new org.apache.spark.types.variant.Variant(
                  variant.getValue(), variant.getMetadata()));
        });
  }

  private static <T> Conversion raw(RawType<T> logical, DataType type) {
    if (!is(type, logical.getOriginatingClass())) throw unknown(type);
    TypeSerializer<T> serializer = logical.getTypeSerializer();
    Function<Object, Object> read =
        bytes -> {
          try {
            return serializer.deserialize(new DataInputDeserializer((byte[]) bytes));
          } catch (IOException error) {
            throw new IllegalArgumentException("its stored value cannot be read: " + error, error);
          }
        };
    @SuppressWarnings("unchecked")
    Function<Object, Object> write =
        object -> {
          DataOutputSerializer out = new DataOutputSerializer(64);
          try {
            serializer.serialize((T) object, out);
          } catch (IOException error) {
            throw new IllegalArgumentException("its value cannot be stored: " + error, error);
          }
          return out.getCopyOfBuffer();
        };
    return simple(ValueType.of(Kind.BINARY), read, write);
  }

  static boolean is(DataType type, Class<?>... classes) {
    for (Class<?> item : classes) if (type.getConversionClass() == item) return true;
    return false;
  }

  static IllegalArgumentException unknown(DataType type) {
    return new IllegalArgumentException(
        "values of type %s cannot be passed as %s"
            .formatted(type.getLogicalType(), type.getConversionClass().getName()));
  }

  static Conversion simple(
      ValueType type, Function<Object, Object> external, Function<Object, Object> internal) {
    return new Conversion(type) {
      @Override
      Object external(Object value) {
        return external.apply(value);
      }

      @Override
      Object internal(Object object) {
        return internal.apply(object);
      }
    };
  }
}
