package org.compiledplan.kernel.functions;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/** Lenient parsing of SQL dates and times. */
final class SqlTimes {
  private static final Pattern DATE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,2})(?:-(\\d{1,2}))?)?");
  private static final Pattern TIME =
      Pattern.compile("(\\d{1,2})(?::(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d*))?)?)?");

  private static final Pattern TIMESTAMP =
      Pattern.compile(
          "(\\d{4})-(\\d{1,2})-(\\d{1,2})(?: (\\d{1,2}):(\\d{1,2}):(\\d{1,2})(?:\\.(\\d{0,9}))?)?");

  private SqlTimes() {}

  /** Parses `2024-2-9`, `2024-2` (the 1st), `2024`; text after a space is ignored. */
  static LocalDate parseDate(String untrimmed) {
    String text = untrimmed.trim();
    int space = text.indexOf(' ');
    Matcher m = DATE.matcher(space < 0 ? text : text.substring(0, space));
    if (!m.matches()) throw new DateTimeException("not a date: '" + untrimmed + "'");
    int month = m.group(2) == null ? 1 : Integer.parseInt(m.group(2));
    int day = m.group(3) == null ? 1 : Integer.parseInt(m.group(3));
    return LocalDate.of(Integer.parseInt(m.group(1)), month, day);
  }

  private static LocalTime clock(String text) {
    Matcher m = TIME.matcher(text.trim());
    if (!m.matches()) throw new DateTimeException("not a time: '" + text + "'");
    int minute = m.group(2) == null ? 0 : Integer.parseInt(m.group(2));
    int second = m.group(3) == null ? 0 : Integer.parseInt(m.group(3));
    String digits = m.group(4) == null ? "" : m.group(4);
    int nanos = Integer.parseInt((digits + "000000000").substring(0, 9));
    return LocalTime.of(Integer.parseInt(m.group(1)), minute, second, nanos);
  }

  /** Milliseconds of the day. */
  static int parseTime(String text) {
    return (int) (clock(text).toNanoOfDay() / 1_000_000);
  }

  /**
   * Parses `2024-2-9`, `2024-2-9 3:4:5.678`: a 30th or 31st that the month does not have is its
   * last day, 24:00:00 is the next day.
   */
  static LocalDateTime parseTimestamp(String text) {
    Matcher m = TIMESTAMP.matcher(text);
    if (!m.matches()) throw new DateTimeException("not a timestamp: '" + text + "'");
    YearMonth month = YearMonth.of(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
    int dayOfMonth = Integer.parseInt(m.group(3));
    if (dayOfMonth < 1 || dayOfMonth > 31) throw new DateTimeException("not a day: " + dayOfMonth);
    LocalDate day = month.atDay(Math.min(dayOfMonth, month.lengthOfMonth()));
    if (m.group(4) == null) return day.atStartOfDay();
    int hour = Integer.parseInt(m.group(4));
    int minute = Integer.parseInt(m.group(5));
    int second = Integer.parseInt(m.group(6));
    String digits = m.group(7) == null ? "" : m.group(7);
    int nanos = Integer.parseInt((digits + "000000000").substring(0, 9));
    if (hour == 24 && minute == 0 && second == 0 && nanos == 0) {
      return day.plusDays(1).atStartOfDay();
    }
    return day.atTime(hour, minute, second, nanos);
  }

  /** The text of a time of the day: at least one digit of its fraction, and no zeros at the end. */
  static String timeText(int millis, int precision) {
    String text =
        String.format(
            "%02d:%02d:%02d", millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    if (precision == 0) return text;
    String digits = StringUtils.stripEnd("%03d".formatted(millis % 1000), "0");
    return text + "." + StringUtils.left(digits.isEmpty() ? "0" : digits, precision);
  }
}
