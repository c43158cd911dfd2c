package org.compiledplan.kernel.formats.csv;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
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
      "the line is a header, with the names of columns; files may have one with 'csv.header' ="
          + " 'true'";

  private final HashMap<String, String> options;
  private final boolean ignoresMore;
  private final boolean trailingComma;
  private final boolean emptyIsNull;
  private final boolean hasHeader;

  private transient String[] names;
  private transient CsvValues.Reader[] readers;
  private transient CsvLines lines;

  /** The column of each cell of a record, -1 for none; null before the header of a file. */
  private transient int[] places;

  /** Null before the header of a file, and for records that it never parses. */
  private transient CsvBytes bytes;

  private transient LineCells plain;
  private transient TaskContext watched;
  private transient String record;

  public CsvDecoder(String table, String shape, Map<String, String> options) {
    super(table, shape, CsvOptions.lenient(options));
    this.options = new HashMap<>(options);
    this.ignoresMore = Boolean.parseBoolean(options.get("ignore-trailing-unmappable"));
    this.trailingComma = Boolean.parseBoolean(options.getOrDefault("allow-trailing-comma", "true"));
    this.emptyIsNull = Boolean.parseBoolean(options.get("empty-string-as-null"));
    this.hasHeader = Boolean.parseBoolean(options.get("header"));
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
    if (places == null) {
      startRecords(columnsOf(cells));
      return NOTHING;
    }
    try {
      return insert(row(cells));
    } catch (DataException e) {
      throw isHeader(cells) ? new DataException(HEADER) : e;
    }
  }

  /** The column of each cell under a header, by name; -1 for cells that are not in the table. */
  private int[] columnsOf(List<String> header) {
    int[] columns = new int[header.size()];
    Arrays.fill(columns, -1);
    for (int i = 0; i < names.length; i++) {
      String name = names[i];
      List<Integer> cells = cellsOf(header, name::equals);
      if (cells.isEmpty()) cells = cellsOf(header, name::equalsIgnoreCase);
      if (cells.size() != 1) {
        String form = cells.isEmpty() ? "lacks the column '%s'" : "has the column '%s' twice";
        throw unreadableFile(
            "its header " + form.formatted(name) + ": " + String.join(", ", header));
      }
      columns[cells.get(0)] = i;
    }
    return columns;
  }

  private static List<Integer> cellsOf(List<String> header, Predicate<String> isColumn) {
    return IntStream.range(0, header.size())
        .filter(i -> isColumn.test(header.get(i).strip()))
        .boxed()
        .toList();
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
    if (cells.size() > places.length && !ignoresMore && !isTrailingComma(cells)) {
      throw new DataException(
          "too many entries: expected at most " + places.length + ", found " + cells.size());
    }
    if (cells.size() < places.length && !lenient) {
      throw new DataException(
          "row length mismatch: " + places.length + " fields expected, " + cells.size() + " found");
    }
    Object[] values = new Object[names.length];
    for (int i = 0; i < Math.min(cells.size(), places.length); i++) {
      int column = places[i];
      if (column < 0 || (emptyIsNull && cells.get(i).isEmpty())) continue;
      try {
        values[column] = readers[column].read(cells.get(i));
      } catch (DataException e) {
        throw new DataException("column " + names[column] + ": " + e.getMessage());
      }
    }
    return new GenericInternalRow(values);
  }

  private boolean isTrailingComma(List<String> cells) {
    int last = places.length;
    return trailingComma && cells.size() == last + 1 && cells.get(last).isEmpty();
  }

  private void prepare() {
    if (readers != null) return;
    Shape row = row();
    String elements = options.getOrDefault("array-element-delimiter", ";");
    CsvValues values = new CsvValues(lenient, elements, options.get("null-literal"));
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
      plain =
          (line, from, to, cells) ->
              bytes != null && !lines.isOpen() && bytes.read(line, from, to, cells);
    }
    if (!hasHeader) startRecords(IntStream.range(0, names.length).toArray());
  }

  /** Sets the columns of the records that follow. */
  private void startRecords(int[] columns) {
    places = columns;
    if (plain == null) return;
    char separator = CsvOptions.separator(options);
    int quote = CsvOptions.quote(options);
    String nullLiteral = options.get("null-literal");
    Shape[] types = row().children();
    bytes = new CsvBytes(separator, quote, nullLiteral, emptyIsNull, places, types, readers);
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
