package org.compiledplan.kernel.functions;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.lang3.StringUtils;
import org.compiledplan.kernel.values.Micros;

/** CAST of strings to values and of values to strings. */
final class Casts {
  private static final Set<String> TRUE = Set.of("t", "true", "y", "yes", "1");
  private static final Set<String> FALSE = Set.of("f", "false", "n", "no", "0");
  private static final long DAY = 86_400_000L;

  /**
   * The digits of a decimal, and the bytes of a text, up to which Flink parses it by itself. Java
   * parses others, and reads the digits of all scripts.
   */
  private static final int COMPACT_DIGITS = 18;

  private Casts() {}

  static void register() {
    parser("PARSE_BOOLEAN", Casts::parseBoolean);
    Registry.strictWith(
        "PARSE_INTEGER",
        options -> {
          Range range = Range.of(options[1]);
          return reading(options, text -> parseInteger(text, range));
        });
    parser("PARSE_FLOAT", text -> Float.parseFloat(text.trim()));
    parser("PARSE_DOUBLE", text -> Double.parseDouble(text.trim()));
    Registry.strictWith(
        "PARSE_DECIMAL",
        options -> {
          int precision = Integer.parseInt(options[1]);
          int scale = Integer.parseInt(options[2]);
          String[] shown = {options[0], options[3]};
          return reading(
              shown,
              untrimmed -> {
                String text = StringUtils.strip(untrimmed, " \t\n");
                if (precision <= COMPACT_DIGITS && !isAscii(text) && isCompact(untrimmed)) {
                  throw new NumberFormatException("not a number");
                }
                BigDecimal number = fit(new BigDecimal(text), precision, scale);
                if (number == null) throw new NumberFormatException("does not fit");
                return number;
              });
        });
    parser("PARSE_DATE", text -> (int) SqlTimes.parseDate(text).toEpochDay());
    parser("PARSE_TIME", SqlTimes::parseTime);
    parser("PARSE_TIMESTAMP", text -> Micros.of(SqlTimes.parseTimestamp(text)));
    Registry.strictWith(
        "DOUBLE_TO_DECIMAL",
        options -> {
          int precision = Integer.parseInt(options[1]);
          int scale = Integer.parseInt(options[2]);
          boolean lenient = options[0].equals("lenient");
          return a -> {
            double value = (Double) a[0];
            if (Double.isNaN(value) || Double.isInfinite(value)) {
              if (lenient) return null;
              throw new NumberFormatException("a decimal cannot hold it");
            }
            return fit(BigDecimal.valueOf(value), precision, scale);
          };
        });
    Registry.strict("UTF8", a -> new String((byte[]) a[0], StandardCharsets.UTF_8));
    Registry.strict("DECIMAL_TO_TEXT", a -> ((BigDecimal) a[0]).toPlainString());
    Registry.strictWith(
        "TIME_TO_TEXT",
        options -> {
          int precision = Integer.parseInt(options[0]);
          return a -> SqlTimes.timeText((Integer) a[0], precision);
        });
    Registry.strict("MONTHS_TO_TEXT", a -> monthsText((Integer) a[0]));
    Registry.strict("MILLIS_TO_TEXT", a -> millisText((Long) a[0]));
  }

  interface Reader {
    Object read(String text) throws Exception;
  }

  private static void parser(String name, Reader reader) {
    Registry.strictWith(name, options -> reading(options, reader));
  }

  /** Options: strict or lenient, then the type for messages. */
  private static Body reading(String[] options, Reader reader) {
    boolean lenient = options[0].equals("lenient");
    String type = options[1];
    return a -> {
      String text = (String) a[0];
      try {
        return reader.read(text);
      } catch (Exception e) {
        if (lenient) return null;
        throw new FunctionException(
            "CAST('%s' AS %s): the text is not a value of this type; TRY_CAST gives NULL"
                .formatted(text, type));
      }
    };
  }

  private static Boolean parseBoolean(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (TRUE.contains(lower)) return true;
    if (FALSE.contains(lower)) return false;
    throw new IllegalArgumentException("not a truth value");
  }

  private record Range(long low, long high) {
    static Range of(String type) {
      return switch (type) {
        case "TINYINT" -> new Range(Byte.MIN_VALUE, Byte.MAX_VALUE);
        case "SMALLINT" -> new Range(Short.MIN_VALUE, Short.MAX_VALUE);
        case "INT" -> new Range(Integer.MIN_VALUE, Integer.MAX_VALUE);
        default -> new Range(Long.MIN_VALUE, Long.MAX_VALUE);
      };
    }
  }

  /** Parses an integer with a sign; digits after a point are validated and dropped. */
  private static Long parseInteger(String untrimmed, Range range) {
    String text = StringUtils.strip(untrimmed, " ");
    int point = text.indexOf('.');
    String whole = point < 0 ? text : text.substring(0, point);
    for (int i = point + 1; point >= 0 && i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new NumberFormatException("not a number");
      }
    }
    boolean bare = whole.isEmpty() || whole.equals("-") || whole.equals("+");
    if (bare && (point < 0 || text.length() < 2 || !whole.isEmpty() && text.length() < 3)) {
      throw new NumberFormatException("not a number");
    }
    // Long.parseLong also reads the digits of other scripts.
    if (!isAscii(whole)) throw new NumberFormatException("not a number");
    long value = bare ? 0 : Long.parseLong(whole);
    if (value < range.low || value > range.high) throw new NumberFormatException("out of range");
    return value;
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(letter -> letter < 128);
  }

  private static boolean isCompact(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length <= COMPACT_DIGITS;
  }

  /** The number rounded half up to the scale; null if it exceeds the precision. */
  static BigDecimal fit(BigDecimal value, int precision, int scale) {
    BigDecimal rounded = value.setScale(scale, RoundingMode.HALF_UP);
    return rounded.precision() > precision ? null : rounded;
  }

  static String monthsText(int months) {
    return (months < 0 ? "-" : "+")
        + Math.abs(months / 12)
        + "-"
        + String.format("%02d", Math.abs(months % 12));
  }

  static String millisText(long millis) {
    long size = Math.abs(millis);
    return String.format(
        "%s%d %02d:%02d:%02d.%03d",
        millis < 0 ? "-" : "+",
        size / DAY,
        size / 3_600_000 % 24,
        size / 60_000 % 60,
        size / 1000 % 60,
        size % 1000);
  }
}
