package org.compiledplan.kernel.formats.csv;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.DataException;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.LineCells;
import org.compiledplan.kernel.formats.base.ObjectCells;
import org.compiledplan.kernel.formats.base.Shape;
import org.compiledplan.kernel.formats.base.UnreadableException;

/** The format `csv`: one record per line, or several lines if a quoted cell contains line ends. */
public final class CsvDecoder extends Decoder {
  private static final String HEADER =
      "the line is a header, with the names of columns, and Flink's csv has no option to skip one";

  private final HashMap<String, String> options;
  private final boolean ignoresMore;
  private final boolean trailingComma;
  private final boolean emptyIsNull;

  private transient String[] names;
  private transient CsvValues.Reader[] readers;
  private transient CsvLines lines;
  private transient LineCells plain;
  private transient TaskContext watched;
  private transient String record;

  public CsvDecoder(String table, String shape, Map<String, String> options) {
    super(table, shape, CsvOptions.lenient(options));
    this.options = new HashMap<>(options);
    this.ignoresMore = Boolean.parseBoolean(options.get("ignore-trailing-unmappable"));
    this.trailingComma = Boolean.parseBoolean(options.getOrDefault("allow-trailing-comma", "true"));
    this.emptyIsNull = Boolean.parseBoolean(options.get("empty-string-as-null"));
  }

  @Override
  protected boolean skips(UTF8String line) {
    // An empty line is a record of one empty cell.
    return false;
  }

  @Override
  protected ArrayData decode(UTF8String line) {
    prepare();
    ArrayData changes = changes(line);
    if (lines.isOpen()) watchEnd();
    return changes;
  }

  private ArrayData changes(UTF8String line) {
    String before = record;
    record = lines.isOpen() ? before + "\n" + line : line.toString();
    List<String> cells = added(line);
    if (cells == null) return NOTHING;
    try {
      return insert(row(cells));
    } catch (DataException e) {
      throw isHeader(cells) ? new DataException(HEADER) : e;
    }
  }

  private boolean isHeader(List<String> cells) {
    Set<String> columns = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    columns.addAll(List.of(names));
    return cells.stream().allMatch(cell -> columns.contains(cell.strip()));
  }

  @Override
  protected ArrayData decodeMessage(UTF8String part) {
    prepare();
    byte[] bytes = part.getBytes();
    ObjectCells cells = new ObjectCells(names.length);
    if (plain != null && isOneLine(bytes) && plain.read(bytes, 0, bytes.length, cells)) {
      return insert(cells.row());
    }
    ArrayData changes = changes(part);
    if (lines.isOpen()) {
      lines.clear();
      throw new DataException("a quote is not closed before the end of the message");
    }
    return changes;
  }

  private static boolean isOneLine(byte[] bytes) {
    for (byte character : bytes) {
      if (character == '\n') return false;
    }
    return true;
  }

  @Override
  public LineCells cells() {
    prepare();
    return plain;
  }

  @Override
  public void end() {
    if (lines != null && lines.isOpen()) {
      lines.clear();
      if (!lenient) throw unclosed();
    }
  }

  @Override
  protected byte[] record(UTF8String line) {
    return record == null ? line.getBytes() : record.getBytes(StandardCharsets.UTF_8);
  }

  /** The cells of the record that ends with a line; after a malformed record parsing restarts. */
  private List<String> added(UTF8String line) {
    try {
      if (!line.isValid()) throw new DataException("it is not UTF-8");
      return lines.add(line.toString());
    } catch (DataException e) {
      lines.clear();
      throw e;
    }
  }

  private GenericInternalRow row(List<String> cells) {
    if (cells.size() > names.length && !ignoresMore && !isTrailingComma(cells)) {
      throw new DataException(
          "too many entries: expected at most " + names.length + ", found " + cells.size());
    }
    if (cells.size() < names.length && !lenient) {
      throw new DataException(
          "row length mismatch: " + names.length + " fields expected, " + cells.size() + " found");
    }
    Object[] values = new Object[names.length];
    for (int i = 0; i < Math.min(cells.size(), names.length); i++) {
      if (emptyIsNull && cells.get(i).isEmpty()) continue;
      try {
        values[i] = readers[i].read(cells.get(i));
      } catch (DataException e) {
        throw new DataException("column " + names[i] + ": " + e.getMessage());
      }
    }
    return new GenericInternalRow(values);
  }

  private boolean isTrailingComma(List<String> cells) {
    return trailingComma && cells.size() == names.length + 1 && cells.get(names.length).isEmpty();
  }

  private void prepare() {
    if (readers != null) return;
    Shape row = row();
    String elements = options.getOrDefault("array-element-delimiter", ";");
    String nullLiteral = options.get("null-literal");
    CsvValues values = new CsvValues(lenient, elements, nullLiteral);
    names = row.names();
    readers = new CsvValues.Reader[names.length];
    for (int i = 0; i < names.length; i++) readers[i] = values.reader(row.children()[i]);
    char separator = CsvOptions.separator(options);
    int quote = CsvOptions.quote(options);
    int escape = CsvOptions.escape(options);
    boolean comments = Boolean.parseBoolean(options.get("allow-comments"));
    boolean trims = Boolean.parseBoolean(options.get("trim-spaces"));
    lines = new CsvLines(separator, quote, escape, comments, trims);
    boolean isPlain = !comments && !trims && escape == CsvLines.NONE;
    if (isPlain && CsvBytes.fits(separator, quote, row.children())) {
      CsvBytes bytes =
          new CsvBytes(separator, quote, nullLiteral, emptyIsNull, row.children(), readers);
      plain = (line, from, to, cells) -> !lines.isOpen() && bytes.read(line, from, to, cells);
    }
  }

  /** Checks that a task does not end within a record. */
  private void watchEnd() {
    TaskContext task = TaskContext.get();
    if (task != null && task != watched) {
      watched = task;
      task.addTaskCompletionListener(
          context -> {
            if (lines.isOpen() && !lenient && !context.isFailed() && !context.isInterrupted()) {
              throw unclosed();
            }
          });
    }
  }

  private UnreadableException unclosed() {
    return unreadableFile("a quote is not closed before its end");
  }
}
