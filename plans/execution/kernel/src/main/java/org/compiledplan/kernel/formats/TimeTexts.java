package org.compiledplan.kernel.formats;

import static java.time.format.DateTimeFormatter.ISO_LOCAL_DATE;
import static java.time.temporal.ChronoField.HOUR_OF_DAY;
import static java.time.temporal.ChronoField.MINUTE_OF_HOUR;
import static java.time.temporal.ChronoField.NANO_OF_SECOND;
import static java.time.temporal.ChronoField.SECOND_OF_MINUTE;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;

/** Texts of dates and times as the JSON and CSV formats have them; timestamps are microseconds since 1970. */
final class TimeTexts {
    private static final long MICROS = 1_000_000L;

    /** `01:02:03` with up to nine digits of a fraction, none if it is zero. */
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
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

    /** `SQL` has a space between date and time, `ISO-8601` a `T`; both a `Z` after a TIMESTAMP_LTZ. */
    TimeTexts(String standard) {
        iso = standard.equals("ISO-8601");
        local = stamp(iso, false, iso ? DateTimeFormatter.ISO_LOCAL_TIME : TIME);
        zoned = stamp(iso, true, iso ? DateTimeFormatter.ISO_LOCAL_TIME : TIME);
        writtenLocal = stamp(iso, false, TIME);
        writtenZoned = stamp(iso, true, TIME);
    }

    private static DateTimeFormatter stamp(boolean iso, boolean zone, DateTimeFormatter time) {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder()
                .append(ISO_LOCAL_DATE)
                .appendLiteral(iso ? 'T' : ' ')
                .append(time);
        return (zone ? builder.appendPattern("'Z'") : builder).toFormatter();
    }

    static int date(String text) {
        return (int) ISO_LOCAL_DATE.parse(text).query(TemporalQueries.localDate()).toEpochDay();
    }

    static String date(int days) {
        return ISO_LOCAL_DATE.format(LocalDate.ofEpochDay(days));
    }

    /** Milliseconds of the day; a time smaller than a millisecond is cut off. */
    static int time(String text) {
        TemporalAccessor found = TIME.parse(text);
        return (int) (found.query(TemporalQueries.localTime()).toNanoOfDay() / 1_000_000L);
    }

    static String time(int millis) {
        return TIME.format(LocalTime.ofNanoOfDay(millis * 1_000_000L));
    }

    long timestamp(String text) {
        long fast = iso ? Long.MIN_VALUE : quick(text);
        return fast == Long.MIN_VALUE ? micros(local.parse(text)) : fast;
    }

    long timestampLtz(String text) {
        int end = text.length() - 1;
        long fast = iso || end < 0 || text.charAt(end) != 'Z' ? Long.MIN_VALUE : quick(text.substring(0, end));
        return fast == Long.MIN_VALUE ? micros(zoned.parse(text)) : fast;
    }

    String timestamp(long micros) {
        return writtenLocal.format(LocalDateTime.ofInstant(instant(micros), ZoneOffset.UTC));
    }

    String timestampLtz(long micros) {
        return writtenZoned.format(LocalDateTime.ofInstant(instant(micros), ZoneOffset.UTC));
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1000L);
    }

    static long micros(TemporalAccessor found) {
        LocalDate date = found.query(TemporalQueries.localDate());
        LocalTime time = found.query(TemporalQueries.localTime());
        return date.toEpochDay() * 86_400L * MICROS + time.toNanoOfDay() / 1000L;
    }

    /** `yyyy-MM-dd HH:mm:ss[.f...]`, many times as fast as the formatter; MIN_VALUE when it is anything else. */
    private static long quick(String text) {
        int length = text.length();
        if (length < 19 || length > 29 || length == 20 || text.charAt(4) != '-' || text.charAt(7) != '-') {
            return Long.MIN_VALUE;
        }
        if (text.charAt(10) != ' ' || text.charAt(13) != ':' || text.charAt(16) != ':') {
            return Long.MIN_VALUE;
        }
        int year = digits(text, 0, 4);
        int month = digits(text, 5, 7);
        int day = digits(text, 8, 10);
        int hour = digits(text, 11, 13);
        int minute = digits(text, 14, 16);
        int second = digits(text, 17, 19);
        // Days that not every month has are left to the formatter, which also knows what to say of them.
        if (year < 1 || month < 1 || month > 12 || day < 1 || day > 28 || hour < 0 || hour > 23) {
            return Long.MIN_VALUE;
        }
        if (minute < 0 || minute > 59 || second < 0 || second > 59) {
            return Long.MIN_VALUE;
        }
        long fraction = 0;
        if (length > 20) {
            if (text.charAt(19) != '.') {
                return Long.MIN_VALUE;
            }
            int read = Math.min(length, 26);
            fraction = digits(text, 20, read);
            if (fraction < 0 || (length > 26 && digits(text, 26, length) < 0)) {
                return Long.MIN_VALUE;
            }
            for (int i = read; i < 26; i++) {
                fraction *= 10;
            }
        }
        long days = LocalDate.of(year, month, day).toEpochDay();
        return ((days * 24 + hour) * 3600 + minute * 60L + second) * MICROS + fraction;
    }

    private static int digits(String text, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
