package org.compiledplan.kernel.lines;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Decoder;
import org.compiledplan.kernel.formats.base.LineCells;
import org.compiledplan.kernel.sources.RowNumbers;
import org.compiledplan.kernel.values.RowKinds;
import scala.collection.AbstractIterator;

/** The rows of a part of a file. */
final class LineRows extends AbstractIterator<InternalRow> {
  /** The kind of a malformed record. */
  private static final byte DEAD = -1;

  private static final long MICROS = 1000;

  private final LineTable table;
  private final Lines lines;
  private final Decoder decoder;

  /** Parses most lines; null if the decoder parses all. */
  private final LineCells plain;

  private final RowCells cells;
  private final UnsafeRowWriter head;

  /**
   * Modification time of the file in microseconds; with a single file the rows are numbered
   * instead.
   */
  private final long time;

  /** Prefix of the paths of the file's rows; the position of the line follows. */
  private final byte[] path;

  private final Shared shared;

  /** True if the part starts the file, so that line numbers are known. */
  private final boolean countsLines;

  private boolean ended;
  private long number;
  private ArrayData changes;
  private int change;
  private InternalRow fault;
  private InternalRow ready;

  /**
   * @param shared state shared with other files of the task
   */
  LineRows(LineTable table, PartitionedFile file, Lines lines, Shared shared) {
    this.table = table;
    this.lines = lines;
    this.shared = shared;
    decoder = table.decoder();
    decoder.begin(file.urlEncodedPath());
    plain = decoder.cells();
    cells = new RowCells(table.required, table.places);
    head = cells.head();
    time = file.modificationTime() * MICROS;
    countsLines = file.start() == 0;
    path = table.isFolder() ? prefix(uri(file), table.common) : null;
  }

  /** The URI as in `_metadata.file_path`, which orders the files of other formats. */
  private static String uri(PartitionedFile file) {
    return String.valueOf(
        FileFormat.BASE_METADATA_EXTRACTORS().apply(FileFormat.FILE_PATH()).apply(file));
  }

  /** The rest of a file's URI, a zero byte, and space for a position. */
  private static byte[] prefix(String uri, int common) {
    byte[] rest = UTF8String.fromString(uri).substring(common, uri.length()).getBytes();
    return Arrays.copyOf(rest, rest.length + 1 + Long.BYTES);
  }

  @Override
  public boolean hasNext() {
    while (ready == null) {
      if (changes != null && change < changes.numElements()) {
        ready = changed(changes.getStruct(change++, 0));
      } else if (fault != null) {
        ready = dead();
        fault = null;
      } else if (!advance()) {
        return false;
      }
    }
    return true;
  }

  /** Reads the next line; returns false if there is none. */
  private boolean advance() {
    try {
      if (ended) return false;
      if (!lines.advance()) {
        ended = true;
        lines.close();
        decoder.end();
        return false;
      }
    } catch (IOException e) {
      Platform.throwException(e);
    }
    number++;
    changes = null;
    if (plain != null && readsPlain()) {
      ready = cells.row();
      return true;
    }
    UTF8String line =
        UTF8String.fromBytes(Arrays.copyOfRange(lines.bytes(), lines.from(), lines.to()));
    changes =
        decoder.lineChanges(
            line,
            countsLines ? number : 0,
            lines.position(),
            table.putsAside ? failure -> fault = failure : null);
    change = 0;
    return true;
  }

  private boolean readsPlain() {
    cells.begin();
    if (!plain.read(lines.bytes(), lines.from(), lines.to(), cells)) return false;
    if (table.kind >= 0) head.write(table.kind, RowKinds.INSERT);
    if (table.ord >= 0) head.write(table.ord, ord());
    if (table.path >= 0) {
      if (path == null) head.setNullAt(table.path);
      else head.write(table.path, at());
    }
    if (table.fault >= 0) head.setNullAt(table.fault);
    return true;
  }

  private InternalRow changed(InternalRow from) {
    Object[] values = new Object[table.required.length()];
    byte[] suffix = from.isNullAt(1) ? null : from.getBinary(1);
    Object[] cells = ((GenericInternalRow) from).values();
    fill(values, cells[0], suffix);
    for (int i = 0; i < table.places.length; i++) {
      if (table.places[i] >= 0) values[table.places[i]] = cells[2 + i];
    }
    return shared.row(values);
  }

  private InternalRow dead() {
    Object[] values = new Object[table.required.length()];
    fill(values, DEAD, null);
    if (table.fault >= 0) values[table.fault] = fault;
    return shared.row(values);
  }

  private void fill(Object[] values, Object kind, byte[] suffix) {
    if (table.kind >= 0) values[table.kind] = kind;
    if (table.ord >= 0) values[table.ord] = ord();
    if (table.path >= 0) values[table.path] = path == null ? suffix : joined(at(), suffix);
  }

  private static byte[] joined(byte[] start, byte[] suffix) {
    int more = suffix == null ? 0 : suffix.length;
    byte[] whole = Arrays.copyOf(start, start.length + more);
    if (more > 0) System.arraycopy(suffix, 0, whole, start.length, more);
    return whole;
  }

  private long ord() {
    return path == null ? shared.next() : time;
  }

  /** The path of a row of the line; the array is reused. */
  private byte[] at() {
    ByteBuffer.wrap(path).putLong(path.length - Long.BYTES, lines.position());
    return path;
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) throw new NoSuchElementException();
    InternalRow row = ready;
    ready = null;
    return row;
  }

  /** State shared by the files that a task reads: the row numbers and the output row. */
  static final class Shared {
    private final StructType required;
    private UnsafeProjection projection;
    private long number = RowNumbers.first();

    Shared(StructType required) {
      this.required = required;
    }

    private long next() {
      return number++;
    }

    private InternalRow row(Object[] values) {
      if (projection == null) projection = UnsafeProjection.create(required);
      return projection.apply(new GenericInternalRow(values));
    }
  }
}
