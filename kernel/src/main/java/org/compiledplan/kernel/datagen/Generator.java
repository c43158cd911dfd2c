package org.compiledplan.kernel.datagen;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.SparkValues;
import org.compiledplan.kernel.values.JsonText;

/**
 * Generates the row of a number: deterministic for a number and time, so that a replayed batch has
 * the same rows. Spark calls `row` by name, with its internal values.
 */
public final class Generator implements Serializable {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final char[] HEX = "0123456789abcdef".toCharArray();
  private static final long DAY = 86_400_000_000L;

  private final String spec;
  private final long seed;
  private transient Maker[] makers;

  /** Context of a row: its number, the time in microseconds, and its own random sequence. */
  private record Moment(long number, long now, SplittableRandom random) {}

  private interface Maker {
    Object make(Moment moment);
  }

  /**
   * @param spec an array with an object per column, see {@code maker}.
   */
  public Generator(String spec, long seed) {
    this.spec = spec;
    this.seed = seed;
  }

  public InternalRow row(long number, long now) {
    if (makers == null) makers = makers(JsonText.read(spec));
    Object[] values = new Object[makers.length];
    for (int i = 0; i < values.length; i++) {
      SplittableRandom random = new SplittableRandom((seed + i) * GOLDEN ^ number);
      values[i] = makers[i].make(new Moment(number, now, random));
    }
    return new GenericInternalRow(values);
  }

  private static Maker[] makers(JsonNode specs) {
    Maker[] makers = new Maker[specs.size()];
    for (int i = 0; i < makers.length; i++) makers[i] = maker(specs.get(i));
    return makers;
  }

  /**
   * Parses `{"root": type root, "kind": "random" | "sequence", ...}` with the settings of the kind
   * and type.
   */
  private static Maker maker(JsonNode spec) {
    Maker present = spec.path("kind").asText().equals("sequence") ? sequence(spec) : random(spec);
    double nulls = spec.path("nullRate").asDouble();
    return nulls <= 0
        ? present
        : moment -> moment.random.nextDouble() < nulls ? null : present.make(moment);
  }

  private static Maker sequence(JsonNode spec) {
    long start = spec.path("start").asLong();
    int precision = spec.path("precision").asInt();
    int scale = spec.path("scale").asInt();
    return switch (spec.path("root").asText()) {
      case "TINYINT" -> moment -> (byte) (start + moment.number);
      case "SMALLINT" -> moment -> (short) (start + moment.number);
      case "INTEGER" -> moment -> (int) (start + moment.number);
      case "BIGINT" -> moment -> start + moment.number;
      case "FLOAT" -> moment -> (float) (start + moment.number);
      case "DOUBLE" -> moment -> (double) (start + moment.number);
      case "DECIMAL" ->
          moment -> decimal(BigDecimal.valueOf(start + moment.number), precision, scale);
      default -> moment -> UTF8String.fromString(Long.toString(start + moment.number));
    };
  }

  private static Maker random(JsonNode spec) {
    String root = spec.path("root").asText();
    int length = spec.path("length").asInt();
    boolean varies = spec.path("varies").asBoolean();
    long past = spec.path("maxPast").asLong();
    return switch (root) {
      case "BOOLEAN" -> moment -> moment.random.nextBoolean();
      case "TINYINT" -> whole(spec, value -> (byte) value);
      case "SMALLINT" -> whole(spec, value -> (short) value);
      case "INTEGER", "INTERVAL_YEAR_MONTH" -> whole(spec, value -> (int) value);
      case "BIGINT", "INTERVAL_DAY_TIME" -> whole(spec, value -> value);
      case "FLOAT" -> {
        Maker wide = real(spec);
        yield moment -> ((Double) wide.make(moment)).floatValue();
      }
      case "DOUBLE" -> real(spec);
      case "DECIMAL" -> decimals(spec);
      case "CHAR", "VARCHAR" ->
          moment -> UTF8String.fromBytes(hex(moment.random, size(moment, length, varies)));
      case "BINARY", "VARBINARY" ->
          moment -> {
            byte[] bytes = new byte[size(moment, length, varies)];
            moment.random.nextBytes(bytes);
            return bytes;
          };
      case "DATE" -> moment -> (int) Math.floorDiv(moment.now, DAY);
      case "TIME_WITHOUT_TIME_ZONE" -> moment -> (int) (Math.floorMod(moment.now, DAY) / 1000);
      case "TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE" ->
          moment -> {
            long millis = Math.floorDiv(moment.now, 1000L);
            return (past == 0 ? millis : millis - moment.random.nextLong(past)) * 1000L;
          };
      case "ARRAY" -> array(maker(spec.path("children").get(0)), length);
      case "MAP" ->
          map(maker(spec.path("children").get(0)), maker(spec.path("children").get(1)), length);
      case "MULTISET" ->
          map(maker(spec.path("children").get(0)), moment -> 1 + moment.random.nextInt(9), length);
      case "ROW", "STRUCTURED_TYPE" -> {
        Maker[] fields = makers(spec.path("children"));
        yield moment -> {
          Object[] values = new Object[fields.length];
          for (int i = 0; i < values.length; i++) values[i] = fields[i].make(moment);
          return new GenericInternalRow(values);
        };
      }
      default -> throw new IllegalArgumentException("no random values of type " + root);
    };
  }

  private interface Narrow {
    Object of(long value);
  }

  private static Maker whole(JsonNode spec, Narrow narrow) {
    long min = spec.path("min").asLong();
    long max = spec.path("max").asLong();
    if (min == Long.MIN_VALUE && max == Long.MAX_VALUE) {
      return moment -> narrow.of(moment.random.nextLong());
    }
    return moment ->
        narrow.of(
            max == Long.MAX_VALUE
                ? moment.random.nextLong(min - 1, max) + 1
                : moment.random.nextLong(min, max + 1));
  }

  private static Maker real(JsonNode spec) {
    double min = spec.path("min").asDouble();
    double max = spec.path("max").asDouble();
    return moment -> {
      double part = moment.random.nextDouble();
      return min * (1 - part) + max * part;
    };
  }

  private static Maker decimals(JsonNode spec) {
    int precision = spec.path("precision").asInt();
    int scale = spec.path("scale").asInt();
    BigInteger min =
        new BigDecimal(spec.path("min").asText())
            .setScale(scale, RoundingMode.CEILING)
            .unscaledValue();
    BigInteger max =
        new BigDecimal(spec.path("max").asText())
            .setScale(scale, RoundingMode.FLOOR)
            .unscaledValue();
    BigInteger size = max.subtract(min).add(BigInteger.ONE);
    return moment -> {
      byte[] bytes = new byte[size.bitLength() / 8 + 9];
      moment.random.nextBytes(bytes);
      BigInteger value = new BigInteger(1, bytes).mod(size).add(min);
      return decimal(new BigDecimal(value, scale), precision, scale);
    };
  }

  private static Decimal decimal(BigDecimal value, int precision, int scale) {
    return Decimal.apply(value.setScale(scale, RoundingMode.HALF_UP), precision, scale);
  }

  private static int size(Moment moment, int length, boolean varies) {
    return varies && length > 1 ? 1 + moment.random.nextInt(length) : length;
  }

  private static byte[] hex(SplittableRandom random, int length) {
    byte[] text = new byte[length];
    for (int i = 0; i < length; i++) text[i] = (byte) HEX[random.nextInt(16)];
    return text;
  }

  private static Maker array(Maker element, int length) {
    return moment -> {
      Object[] values = new Object[length];
      for (int i = 0; i < length; i++) values[i] = element.make(moment);
      return new GenericArrayData(values);
    };
  }

  private static Maker map(Maker key, Maker value, int length) {
    return moment -> {
      Map<Object, Object> values = new LinkedHashMap<>();
      for (int i = 0; i < length; i++) values.put(key.make(moment), value.make(moment));
      return SparkValues.map(values);
    };
  }
}
