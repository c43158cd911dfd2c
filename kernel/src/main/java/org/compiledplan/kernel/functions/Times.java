package org.compiledplan.kernel.functions;

import java.sql.Timestamp;
import java.text.ParseException;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import org.compiledplan.kernel.values.Micros;

/** Formatting and parsing of times by patterns, times as numbers, months between times. */
final class Times {
  private static final long MICROS = 1_000_000L;
  private static final long NANOS = 1_000_000_000L;
  private static final long FIRST = LocalDate.of(0, 1, 1).toEpochDay() * 86_400L;
  private static final long LAST = LocalDate.of(10_000, 1, 1).toEpochDay() * 86_400L - 1;
  private static final String DEFAULT = "yyyy-MM-dd HH:mm:ss";

  private Times() {}

  static void register() {
    Registry.strict(
        "MONTHS_BETWEEN", a -> monthsBetween(Micros.local((Long) a[0]), Micros.local((Long) a[1])));
    Registry.strictWith(
        "FORMAT_TIME",
        options -> {
          Formats<DateTimeFormatter> formats =
              new Formats<>(p -> DateTimeFormatter.ofPattern(p, Locale.US));
          return a -> formats.of((String) a[1]).format(Micros.local((Long) a[0]));
        });
    Registry.strictWith(
        "REFORMAT_TIME",
        options -> {
          Formats<SimpleDateFormat> formats = simple("UTC");
          return a -> {
            Date time = parse(formats.of(DEFAULT), (String) a[0]);
            return time == null ? null : formats.of((String) a[1]).format(time);
          };
        });
    Registry.strictWith(
        "TO_DATE",
        options -> {
          Formats<SimpleDateFormat> formats = simple("UTC");
          return a -> {
            Date time = parse(formats.of((String) a[1]), (String) a[0]);
            return time == null ? null : (int) Math.floorDiv(time.getTime(), 86_400_000L);
          };
        });
    Registry.strictWith(
        "TO_TIMESTAMP",
        options -> {
          Formats<DateTimeFormatter> formats = readers();
          return a -> {
            LocalDateTime parsed =
                timestamp(formats, (String) a[0], (String) a[1], ChronoUnit.MILLIS);
            return parsed == null ? null : Micros.of(parsed);
          };
        });
    Registry.strictWith(
        "TO_TIMESTAMP_IN_ZONE",
        options -> {
          Formats<DateTimeFormatter> formats = readers();
          return a -> {
            LocalDateTime parsed =
                timestamp(formats, (String) a[0], (String) a[1], ChronoUnit.NANOS);
            if (parsed == null) return null;
            LocalDateTime utc =
                parsed
                    .atZone(ZoneId.of((String) a[2]))
                    .withZoneSameInstant(ZoneOffset.UTC)
                    .toLocalDateTime();
            return Micros.of(utc);
          };
        });
    Registry.strict("EPOCH_TO_MICROS", a -> fromEpoch((Long) a[0], (Integer) a[1]));
    Registry.strict("DOUBLE_EPOCH_TO_MICROS", a -> fromEpoch((Double) a[0], (Integer) a[1]));
    Registry.strictWith(
        "FROM_UNIXTIME",
        options -> {
          Formats<SimpleDateFormat> formats = simple(options[0]);
          return a -> formats.of((String) a[1]).format(new Date((Long) a[0] * 1000));
        });
    Registry.strictWith(
        "UNIX_TIMESTAMP",
        options -> {
          Formats<SimpleDateFormat> formats = simple(options[0]);
          return a -> {
            Date time = parse(formats.of((String) a[1]), (String) a[0]);
            // As in Flink, a malformed text is the smallest number.
            return time == null ? (Object) Long.MIN_VALUE : (Object) (time.getTime() / 1000);
          };
        });
    Registry.strict("ISO_TEXT", a -> Micros.local((Long) a[0]).toString());
    Registry.strict("CONVERT_TZ", a -> convert((String) a[0], (String) a[1], (String) a[2]));
  }

  private static final class Formats<T> {
    private static final int MAX_PATTERNS = 100;
    private final Map<String, T> cache = new HashMap<>();
    private final java.util.function.Function<String, T> make;

    Formats(java.util.function.Function<String, T> make) {
      this.make = make;
    }

    T of(String pattern) {
      if (cache.size() > MAX_PATTERNS) cache.clear();
      return cache.computeIfAbsent(pattern, make);
    }
  }

  private static Formats<SimpleDateFormat> simple(String zone) {
    return new Formats<>(
        pattern -> {
          SimpleDateFormat format = new SimpleDateFormat(pattern, Locale.US);
          format.setTimeZone(TimeZone.getTimeZone(ZoneId.of(zone)));
          return format;
        });
  }

  private static Formats<DateTimeFormatter> readers() {
    return new Formats<>(
        pattern -> new DateTimeFormatterBuilder().appendPattern(pattern).toFormatter(Locale.US));
  }

  private static Date parse(SimpleDateFormat format, String text) {
    return format.parse(text, new ParsePosition(0));
  }

  /**
   * Parses a text by the pattern, to this unit, else as SQL date or timestamp, with all its digits,
   * as Flink does; null if both fail.
   */
  private static LocalDateTime timestamp(
      Formats<DateTimeFormatter> formats, String text, String pattern, ChronoUnit unit) {
    try {
      return complete(formats.of(pattern).parse(text)).truncatedTo(unit);
    } catch (DateTimeException | IllegalArgumentException e) {
      try {
        String trimmed = text.trim();
        return trimmed.indexOf(' ') >= 0
            ? Timestamp.valueOf(trimmed).toLocalDateTime()
            : java.sql.Date.valueOf(trimmed).toLocalDate().atStartOfDay();
      } catch (IllegalArgumentException | DateTimeException f) {
        return null;
      }
    }
  }

  private static LocalDateTime complete(TemporalAccessor parsed) {
    LocalDate date = parsed.query(TemporalQueries.localDate());
    LocalTime time = parsed.query(TemporalQueries.localTime());
    if (date == null) {
      date =
          LocalDate.of(
              part(
                  parsed,
                  parsed.isSupported(ChronoField.YEAR) ? ChronoField.YEAR : ChronoField.YEAR_OF_ERA,
                  1970),
              part(parsed, ChronoField.MONTH_OF_YEAR, 1),
              part(parsed, ChronoField.DAY_OF_MONTH, 1));
    }
    if (time == null) {
      time =
          LocalTime.of(
              part(parsed, ChronoField.HOUR_OF_DAY, 0),
              part(parsed, ChronoField.MINUTE_OF_HOUR, 0),
              part(parsed, ChronoField.SECOND_OF_MINUTE, 0),
              part(parsed, ChronoField.NANO_OF_SECOND, 0));
    }
    return date.atTime(time);
  }

  private static int part(TemporalAccessor parsed, ChronoField field, int fallback) {
    return parsed.isSupported(field) ? parsed.get(field) : fallback;
  }

  /** Microseconds of an instant, given in units of {@code precision} decimal places of a second. */
  private static Object fromEpoch(long value, int precision) {
    long units = units(precision);
    long seconds = Math.floorDiv(value, units);
    if (seconds < FIRST || seconds > LAST) return null;
    return seconds * MICROS + Math.floorMod(value, units) * (NANOS / units) / 1000;
  }

  /** As of a whole number, with as many digits of the instant as its type has. */
  private static Object fromEpoch(double value, int precision) {
    long places = units(Math.max(3, Math.min(6, precision)));
    long units = units(precision);
    double instant =
        Math.floor(units > places ? value / (units / places) : value * (places / units));
    if (instant / places < FIRST || instant / places > LAST) return null;
    return (long) instant * (MICROS / places);
  }

  private static long units(int precision) {
    if (precision < 0 || precision > 9) {
      throw new IllegalArgumentException("the precision must be 0 (seconds) to 9 (nanoseconds)");
    }
    return (long) Math.pow(10, precision);
  }

  private static Object convert(String text, String from, String to) throws ParseException {
    SimpleDateFormat reader = new SimpleDateFormat(DEFAULT, Locale.US);
    // As in Flink, an unknown zone is UTC.
    reader.setTimeZone(TimeZone.getTimeZone(from));
    Date time = parse(reader, text);
    if (time == null) return null;
    reader.setTimeZone(TimeZone.getTimeZone(to));
    return reader.format(time);
  }

  /**
   * Months from `b` to `a` as Flink counts them: by the dates, minus one only if adding the months
   * to `b`'s date yields `a`'s date and `a` is earlier in the day.
   */
  static int monthsBetween(LocalDateTime a, LocalDateTime b) {
    int months = months(a.toLocalDate(), b.toLocalDate());
    boolean exact = b.toLocalDate().plusMonths(months).equals(a.toLocalDate());
    return exact && a.toLocalTime().isBefore(b.toLocalTime()) ? months - 1 : months;
  }

  private static int months(LocalDate a, LocalDate b) {
    if (a.isBefore(b)) return -months(b, a);
    int months = (a.getYear() - b.getYear()) * 12 + a.getMonthValue() - b.getMonthValue();
    return b.plusMonths(months).isAfter(a) ? months - 1 : months;
  }
}
