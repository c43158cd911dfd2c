package org.compiledplan.kernel.formats;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads records without quotes and escapes from the bytes of their line, without texts in between:
 * what most files hold, several times as fast. Of anything else it says that it cannot read it.
 */
final class CsvBytes {
  /** So many digits always fit into a long and an int. */
  private static final int LONG_DIGITS = 18;

  private static final int INT_DIGITS = 9;

  @FunctionalInterface
  private interface Reader {
    Object read(byte[] line, int from, int to);
  }

  private final byte separator;
  private final int quote;
  private final byte[] nothing;
  private final boolean emptyIsNull;
  private final Reader[] readers;

  /**
   * @param separator what stands between cells, ASCII
   * @param quote what quotes cells, ASCII, or {@link CsvLines#NONE}
   * @param nothing the text of null, or null for none
   * @param emptyIsNull whether a cell without text is null
   * @param types of the columns
   * @param others readers for cells that are not read from bytes
   */
  CsvBytes(
      char separator,
      int quote,
      String nothing,
      boolean emptyIsNull,
      Shape[] types,
      CsvValues.Reader[] others) {
    this.separator = (byte) separator;
    this.quote = quote;
    this.nothing = nothing == null ? null : nothing.getBytes(StandardCharsets.UTF_8);
    this.emptyIsNull = emptyIsNull;
    this.readers = new Reader[types.length];
    for (int i = 0; i < types.length; i++) {
      readers[i] = reader(types[i].root(), others[i]);
    }
  }

  /** Whether there can be such a reader: no character beyond ASCII has a meaning. */
  static boolean fits(char separator, int quote) {
    return separator < 128 && quote < 128;
  }

  /** The row of a line; null when the line is to be read in another way, for its faults too. */
  GenericInternalRow read(UTF8String text) {
    byte[] line = text.getBytes();
    boolean ascii = true;
    for (byte letter : line) {
      if (letter == quote) {
        return null;
      }
      ascii &= letter >= 0;
    }
    if (!ascii && !text.isValid()) {
      return null;
    }
    try {
      return row(line);
    } catch (DataException e) {
      return null;
    }
  }

  private GenericInternalRow row(byte[] line) {
    Object[] values = new Object[readers.length];
    int column = 0;
    int from = 0;
    for (int at = 0; at <= line.length; at++) {
      if (at < line.length && line[at] != separator) {
        continue;
      }
      if (column == readers.length) {
        return null;
      }
      boolean returns = at == line.length && at > from && line[at - 1] == '\r';
      int to = returns ? at - 1 : at;
      if (!isNull(line, from, to)) {
        values[column] = readers[column].read(line, from, to);
      }
      column++;
      from = at + 1;
    }
    return column == readers.length ? new GenericInternalRow(values) : null;
  }

  private boolean isNull(byte[] line, int from, int to) {
    if (from == to && emptyIsNull) {
      return true;
    }
    if (nothing == null || nothing.length != to - from) {
      return false;
    }
    for (int i = 0; i < nothing.length; i++) {
      if (line[from + i] != nothing[i]) {
        return false;
      }
    }
    return true;
  }

  private static Reader reader(String root, CsvValues.Reader other) {
    Reader slow =
        (line, from, to) -> other.read(new String(line, from, to - from, StandardCharsets.UTF_8));
    return switch (root) {
      case "NULL" -> (line, from, to) -> null;
      case "CHAR", "VARCHAR" -> (line, from, to) -> UTF8String.fromBytes(line, from, to - from);
      case "INTEGER" ->
          (line, from, to) ->
              isNumber(line, from, to, INT_DIGITS)
                  ? Integer.valueOf((int) number(line, from, to))
                  : slow.read(line, from, to);
      case "BIGINT" ->
          (line, from, to) ->
              isNumber(line, from, to, LONG_DIGITS)
                  ? Long.valueOf(number(line, from, to))
                  : slow.read(line, from, to);
      case "TIMESTAMP_WITHOUT_TIME_ZONE" ->
          (line, from, to) -> {
            long micros = TimestampTexts.quick(line, from, to);
            return micros == TimestampTexts.UNREAD ? slow.read(line, from, to) : (Long) micros;
          };
      default -> slow;
    };
  }

  private static boolean isNumber(byte[] line, int from, int to, int digits) {
    int first = from < to && line[from] == '-' ? from + 1 : from;
    if (first == to || to - first > digits) {
      return false;
    }
    for (int i = first; i < to; i++) {
      if (line[i] < '0' || line[i] > '9') {
        return false;
      }
    }
    return true;
  }

  private static long number(byte[] line, int from, int to) {
    boolean negative = line[from] == '-';
    long found = 0;
    for (int i = negative ? from + 1 : from; i < to; i++) {
      found = found * 10 + (line[i] - '0');
    }
    return negative ? -found : found;
  }
}
