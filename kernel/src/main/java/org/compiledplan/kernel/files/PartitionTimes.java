package org.compiledplan.kernel.files;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** Partition times, parsed from texts. */
public final class PartitionTimes {
  private static final DateTimeFormatter DATE = lenient(date());
  private static final DateTimeFormatter TIMESTAMP =
      lenient(
          digits(
              digits(
                      digits(date().appendLiteral(' '), ChronoField.HOUR_OF_DAY).appendLiteral(':'),
                      ChronoField.MINUTE_OF_HOUR)
                  .appendLiteral(':'),
              ChronoField.SECOND_OF_MINUTE));

  private PartitionTimes() {}

  /**
   * Returns a time in ms since 1970.
   *
   * @param text a date, with or without a time of the day
   * @param form pattern of a {@link DateTimeFormatter}; empty for digits as in `2024-1-31 5:00:00`
   * @param zone time zone of the text
   * @throws java.time.DateTimeException if the pattern or the zone is invalid, or the text does not
   *     match
   */
  public static long millis(String text, String form, String zone) {
    boolean isDefault = form.isEmpty();
    DateTimeFormatter own = isDefault ? null : DateTimeFormatter.ofPattern(form, Locale.ROOT);
    LocalDateTime time;
    try {
      time = LocalDateTime.parse(text, isDefault ? TIMESTAMP : own);
    } catch (DateTimeParseException e) {
      time = LocalDate.parse(text, isDefault ? DATE : own).atStartOfDay();
    }
    return time.atZone(ZoneId.of(zone)).toInstant().toEpochMilli();
  }

  /**
   * Checks a pattern and a zone.
   *
   * @throws RuntimeException if one of them is invalid
   */
  public static void check(String form, String zone) {
    DateTimeFormatter.ofPattern(form, Locale.ROOT);
    ZoneId.of(zone);
  }

  private static DateTimeFormatterBuilder date() {
    DateTimeFormatterBuilder year =
        new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR, 1, 10, SignStyle.NORMAL)
            .appendLiteral('-');
    return digits(
        digits(year, ChronoField.MONTH_OF_YEAR).appendLiteral('-'), ChronoField.DAY_OF_MONTH);
  }

  private static DateTimeFormatterBuilder digits(DateTimeFormatterBuilder to, ChronoField field) {
    return to.appendValue(field, 1, 2, SignStyle.NORMAL);
  }

  private static DateTimeFormatter lenient(DateTimeFormatterBuilder of) {
    return of.toFormatter(Locale.ROOT).withResolverStyle(ResolverStyle.LENIENT);
  }
}
