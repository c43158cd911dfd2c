package org.compiledplan.kernel.formats.base;

import static java.time.format.DateTimeFormatter.ISO_LOCAL_DATE;
import static java.time.temporal.ChronoField.HOUR_OF_DAY;
import static java.time.temporal.ChronoField.MINUTE_OF_HOUR;
import static java.time.temporal.ChronoField.NANO_OF_SECOND;
import static java.time.temporal.ChronoField.SECOND_OF_MINUTE;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import org.compiledplan.kernel.values.Micros;

/** Texts of dates and times in the JSON and CSV formats; timestamps are microseconds since 1970. */
public final class TimestampTexts {
  /** Result of {@link #quick} for a text that it does not parse. */
  public static final long UNREAD = Long.MIN_VALUE;

  private static final long MICROS = 1_000_000L;

  /** `01:02:03` with up to nine digits of a fraction, none if it is zero. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendValue(HOUR_OF_DAY, 2)
          .appendLiteral(':')
          .appendValue(MINUTE_OF_HOUR, 2)
          .appendLiteral(':')
          .appendValue(SECOND_OF_MINUTE, 2)
          .appendFraction(NANO_OF_SECOND, 0, 9, true)
          .toFormatter();

  private final boolean iso;
  private final DateTimeFormatter local;
  private final DateTimeFormatter zoned;
  private final DateTimeFormatter writtenLocal;
  private final DateTimeFormatter writtenZoned;

  /**
   * `SQL` has a space between date and time, `ISO-8601` a `T`; both a `Z` after a TIMESTAMP_LTZ.
   */
  public TimestampTexts(String standard) {
    iso = standard.equals("ISO-8601");
    local = stamp(iso, false, iso ? DateTimeFormatter.ISO_LOCAL_TIME : TIME);
    zoned = stamp(iso, true, iso ? DateTimeFormatter.ISO_LOCAL_TIME : TIME);
    writtenLocal = stamp(iso, false, TIME);
    writtenZoned = stamp(iso, true, TIME);
  }

  private static DateTimeFormatter stamp(boolean iso, boolean zone, DateTimeFormatter time) {
    DateTimeFormatterBuilder builder =
        new DateTimeFormatterBuilder()
            .append(ISO_LOCAL_DATE)
            .appendLiteral(iso ? 'T' : ' ')
            .append(time);
    return (zone ? builder.appendPattern("'Z'") : builder).toFormatter();
  }

  public static int date(String text) {
    return (int) ISO_LOCAL_DATE.parse(text).query(TemporalQueries.localDate()).toEpochDay();
  }

  public static String date(int days) {
    return ISO_LOCAL_DATE.format(LocalDate.ofEpochDay(days));
  }

  /** Milliseconds of the day; smaller fractions are truncated. */
  public static int time(String text) {
    TemporalAccessor parsed = TIME.parse(text);
    return (int) (parsed.query(TemporalQueries.localTime()).toNanoOfDay() / 1_000_000L);
  }

  public static String time(int millis) {
    return TIME.format(LocalTime.ofNanoOfDay(millis * 1_000_000L));
  }

  public long timestamp(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long fast = iso ? UNREAD : quick(bytes, 0, bytes.length);
    return fast == UNREAD ? micros(local.parse(text)) : fast;
  }

  public long timestampLtz(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int end = bytes.length - 1;
    long fast = iso || end < 0 || bytes[end] != 'Z' ? UNREAD : quick(bytes, 0, end);
    return fast == UNREAD ? micros(zoned.parse(text)) : fast;
  }

  public String timestamp(long micros) {
    return writtenLocal.format(Micros.local(micros));
  }

  public String timestampLtz(long micros) {
    return writtenZoned.format(Micros.local(micros));
  }

  public static long micros(TemporalAccessor parsed) {
    return Micros.of(
        LocalDateTime.of(
            parsed.query(TemporalQueries.localDate()), parsed.query(TemporalQueries.localTime())));
  }

  /**
   * Parses `yyyy-MM-dd HH:mm:ss[.f...]`, many times as fast as the formatter; {@link #UNREAD} for
   * other texts.
   */
  public static long quick(byte[] text, int from, int to) {
    int length = to - from;
    if (length < 19
        || length > 29
        || length == 20
        || text[from + 4] != '-'
        || text[from + 7] != '-') {
      return UNREAD;
    }
    if (text[from + 10] != ' ' || text[from + 13] != ':' || text[from + 16] != ':') return UNREAD;
    int year = digits(text, from, from + 4);
    int month = digits(text, from + 5, from + 7);
    int day = digits(text, from + 8, from + 10);
    int hour = digits(text, from + 11, from + 13);
    int minute = digits(text, from + 14, from + 16);
    int second = digits(text, from + 17, from + 19);
    if (year < 1 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23) return UNREAD;
    // Days that the month does not have are left to the formatter, for its error message.
    if (minute < 0
        || minute > 59
        || second < 0
        || second > 59
        || day > YearMonth.of(year, month).lengthOfMonth()) {
      return UNREAD;
    }
    long fraction = 0;
    if (length > 20) {
      if (text[from + 19] != '.') return UNREAD;
      int read = Math.min(to, from + 26);
      fraction = digits(text, from + 20, read);
      if (fraction < 0 || (length > 26 && digits(text, from + 26, to) < 0)) return UNREAD;
      for (int i = read; i < from + 26; i++) fraction *= 10;
    }
    long days = LocalDate.of(year, month, day).toEpochDay();
    return ((days * 24 + hour) * 3600 + minute * 60L + second) * MICROS + fraction;
  }

  private static int digits(byte[] text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }
}
