package org.compiledplan.kernel.formats.csv;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.formats.base.DataException;

/**
 * Splits the lines of a CSV file, and messages, into records of cells. A quoted cell may contain
 * line ends: its record is completed by a later line.
 */
final class CsvLines {
  /** Value of a special character that is disabled. */
  static final int NONE = -1;

  private final char separator;
  private final int quote;
  private final int escape;
  private final boolean comments;
  private final boolean trims;
  private final StringBuilder cell = new StringBuilder();
  private List<String> cells = new ArrayList<>();
  private boolean open;

  CsvLines(char separator, int quote, int escape, boolean comments, boolean trims) {
    this.separator = separator;
    this.quote = quote;
    this.escape = escape;
    this.comments = comments;
    this.trims = trims;
  }

  boolean isOpen() {
    return open;
  }

  void clear() {
    open = false;
    cells = new ArrayList<>();
    cell.setLength(0);
  }

  /** The cells of the record that ends with this line; null if none ends. */
  List<String> add(String line) {
    int at = 0;
    if (open) {
      cell.append('\n');
      at = quoted(line, 0);
      if (at < 0) return null;
    } else {
      if (comments && isComment(line)) return null;
      cells = new ArrayList<>();
    }
    if (open) {
      open = false;
      at = closed(line, at);
      if (at < 0) return cells;
    }
    while (true) {
      int next = cell(line, at);
      if (open) return null;
      if (next < 0) return cells;
      at = next;
    }
  }

  private static boolean isComment(String line) {
    int i = 0;
    while (i < line.length() && line.charAt(i) <= ' ') i++;
    return i < line.length() && line.charAt(i) == '#';
  }

  /**
   * Parses the cell at a position; returns the position of the next one, or -1 at the end of the
   * line.
   */
  private int cell(String line, int from) {
    cell.setLength(0);
    while (trims
        && from < line.length()
        && line.charAt(from) <= ' '
        && line.charAt(from) != separator) {
      from++;
    }
    if (from < line.length() && line.charAt(from) == quote) {
      int at = quoted(line, from + 1);
      if (at < 0) {
        open = true;
        return -1;
      }
      return closed(line, at);
    }
    int at = from;
    while (!isEnd(line, at) && line.charAt(at) != separator) {
      if (line.charAt(at) == escape && at + 1 < line.length()) {
        at++;
        cell.append(unescaped(line.charAt(at)));
      } else {
        cell.append(line.charAt(at));
      }
      at++;
    }
    int end = cell.length();
    if (isEnd(line, at) && end > 0 && cell.charAt(end - 1) == '\r') cell.setLength(end - 1);
    cells.add(trims ? cell.toString().trim() : cell.toString());
    return isEnd(line, at) ? -1 : at + 1;
  }

  /**
   * Parses a quoted cell; returns the position after the closing quote, or -1 if the line ends
   * first.
   */
  private int quoted(String line, int from) {
    int at = from;
    while (at < line.length()) {
      char letter = line.charAt(at);
      if (letter == quote) {
        if (at + 1 < line.length() && line.charAt(at + 1) == quote) at++;
        else return at + 1;
      } else if (letter == escape && at + 1 < line.length()) {
        at++;
        letter = unescaped(line.charAt(at));
      }
      cell.append(letter);
      at++;
    }
    return -1;
  }

  /** Ends a quoted cell: only spaces may precede the next separator. */
  private int closed(String line, int from) {
    cells.add(cell.toString());
    int at = from;
    while (!isEnd(line, at) && line.charAt(at) != separator) {
      if (line.charAt(at) > ' ') {
        clear();
        throw new DataException(
            "a separator must follow a quoted cell, not '" + line.charAt(at) + "'");
      }
      at++;
    }
    return isEnd(line, at) ? -1 : at + 1;
  }

  /** Returns true if a record ends here; further lines of a message are ignored. */
  private static boolean isEnd(String line, int at) {
    return at >= line.length() || line.charAt(at) == '\n';
  }

  private static char unescaped(char letter) {
    return switch (letter) {
      case '0' -> '\0';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> letter;
    };
  }
}
