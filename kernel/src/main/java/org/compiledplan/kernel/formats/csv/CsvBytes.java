package org.compiledplan.kernel.formats.csv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Cells;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.LineCells;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.TimestampTexts;

/**
 * Parses records without quotes and escapes directly from the bytes of their line, without creating
 * strings: the content of most files, several times as fast. Other records are rejected, for the
 * general parser.
 */
final class CsvBytes implements LineCells {
  /** Numbers of digits that always fit into a long and an int. */
  private static final int LONG_DIGITS = 18;

  private static final int INT_DIGITS = 9;

  /** Types of composite values. */
  private static final Set<String> NESTED = Set.of("ARRAY", "ROW", "STRUCTURED_TYPE");

  private enum Kind {
    TEXT,
    INTEGER,
    NUMBER,
    TIMESTAMP,
    OTHER
  }

  /** Bytes are compared eight at a time. */
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long EACH_BYTE = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private final byte separator;
  private final long separators;
  private final byte quote;
  private final long quotes;
  private final boolean isQuoted;
  private final byte[] nullLiteral;
  private final boolean emptyIsNull;
  private final int[] places;
  private final Kind[] kinds;
  private final CsvValues.Reader[] others;

  /**
   * @param separator cell separator, ASCII
   * @param quote quote character, ASCII, or {@link CsvLines#NONE}
   * @param nullLiteral the null literal, or null for none
   * @param emptyIsNull true if an empty cell is null
   * @param places the column of each cell, -1 for none
   * @param types types of the columns
   * @param others readers of cells that are not parsed from bytes
   */
  CsvBytes(
      char separator,
      int quote,
      String nullLiteral,
      boolean emptyIsNull,
      int[] places,
      Shape[] types,
      CsvValues.Reader[] others) {
    this.separator = (byte) separator;
    this.separators = EACH_BYTE * separator;
    this.quote = (byte) quote;
    this.quotes = EACH_BYTE * quote;
    this.isQuoted = quote != CsvLines.NONE;
    this.nullLiteral = nullLiteral == null ? null : nullLiteral.getBytes(StandardCharsets.UTF_8);
    this.emptyIsNull = emptyIsNull;
    this.places = places;
    this.others = others;
    this.kinds = new Kind[types.length];
    for (int i = 0; i < types.length; i++) kinds[i] = kind(types[i].root());
  }

  /** Returns true if the fast parser applies: all special characters are ASCII. */
  static boolean fits(char separator, int quote, Shape[] types) {
    for (Shape type : types) {
      if (NESTED.contains(type.root())) return false;
    }
    return separator < 128 && quote < 128;
  }

  @Override
  public boolean read(byte[] line, int from, int to, Cells cells) {
    try {
      return row(line, from, to, cells);
    } catch (DataException e) {
      return false;
    }
  }

  private boolean row(byte[] line, int from, int to, Cells cells) {
    boolean[] required = cells.required();
    int last = places.length - 1;
    int index = 0;
    int start = from;
    int at = from;
    long seen = 0;
    for (; at + Long.BYTES <= to; at += Long.BYTES) {
      long word = (long) WORDS.get(line, at);
      seen |= word;
      if (isQuoted && equalBytes(word, quotes) != 0) return false;
      for (long ends = equalBytes(word, separators); ends != 0; ends &= ends - 1) {
        int end = at + Long.numberOfTrailingZeros(ends) / Byte.SIZE;
        // The last column may be followed by another separator, or too many cells.
        if (index >= last) return false;
        int column = places[index++];
        if (column >= 0 && required[column]) cell(column, line, start, end, cells);
        start = end + 1;
      }
    }
    for (; at < to; at++) {
      byte letter = line[at];
      seen |= (long) letter << (Long.SIZE - Byte.SIZE);
      if (isQuoted && letter == quote) return false;
      if (letter != separator) continue;
      if (index >= last) return false;
      int column = places[index++];
      if (column >= 0 && required[column]) cell(column, line, start, at, cells);
      start = at + 1;
    }
    if (index != last) return false;
    int end = to > start && line[to - 1] == '\r' ? to - 1 : to;
    int column = places[index];
    if (column >= 0 && required[column]) cell(column, line, start, end, cells);
    return (seen & HIGH_BITS) == 0 || UTF8String.fromBytes(line, from, to - from).isValid();
  }

  /** Sets the high bit of each byte that is equal in both. */
  private static long equalBytes(long left, long right) {
    long different = left ^ right;
    return ~((different & ~HIGH_BITS) + ~HIGH_BITS | different | ~HIGH_BITS);
  }

  private void cell(int column, byte[] line, int from, int to, Cells cells) {
    if (isNull(line, from, to)) {
      cells.nullValue(column);
      return;
    }
    switch (kinds[column]) {
      case TEXT:
        cells.text(column, line, from, to - from);
        return;
      case INTEGER:
        if (!isNumber(line, from, to, INT_DIGITS)) break;
        cells.integer(column, (int) number(line, from, to));
        return;
      case NUMBER:
        if (!isNumber(line, from, to, LONG_DIGITS)) break;
        cells.number(column, number(line, from, to));
        return;
      case TIMESTAMP:
        long micros = TimestampTexts.quick(line, from, to);
        if (micros == TimestampTexts.UNREAD) break;
        cells.number(column, micros);
        return;
      default:
    }
    String text = new String(line, from, to - from, StandardCharsets.UTF_8);
    cells.value(column, others[column].read(text));
  }

  private boolean isNull(byte[] line, int from, int to) {
    if (from == to && emptyIsNull) return true;
    if (nullLiteral == null || nullLiteral.length != to - from) return false;
    for (int i = 0; i < nullLiteral.length; i++) {
      if (line[from + i] != nullLiteral[i]) return false;
    }
    return true;
  }

  private static Kind kind(String root) {
    return switch (root) {
      case "CHAR", "VARCHAR" -> Kind.TEXT;
      case "INTEGER" -> Kind.INTEGER;
      case "BIGINT" -> Kind.NUMBER;
      case "TIMESTAMP_WITHOUT_TIME_ZONE" -> Kind.TIMESTAMP;
      default -> Kind.OTHER;
    };
  }

  private static boolean isNumber(byte[] line, int from, int to, int digits) {
    int first = from < to && line[from] == '-' ? from + 1 : from;
    if (first == to || to - first > digits) return false;
    for (int i = first; i < to; i++) {
      if (line[i] < '0' || line[i] > '9') return false;
    }
    return true;
  }

  private static long number(byte[] line, int from, int to) {
    boolean negative = line[from] == '-';
    long value = 0;
    for (int i = negative ? from + 1 : from; i < to; i++) value = value * 10 + (line[i] - '0');
    return negative ? -value : value;
  }
}
