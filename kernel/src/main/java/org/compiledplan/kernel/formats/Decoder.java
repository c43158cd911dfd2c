package org.compiledplan.kernel.formats;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.operators.RowKinds;

/**
 * Turns lines of files and parts of messages into rows. What is of messages Spark calls by name,
 * with its internal values, so that a row costs no conversion.
 */
public abstract class Decoder implements Serializable {
  private static final int SHOWN = 64;

  /** The metadata of formats that have none. */
  protected static final Object[] NO_METADATA = {};

  protected static final ArrayData NOTHING = new GenericArrayData(new Object[0]);

  private final String table;
  private final String shape;
  protected final boolean lenient;
  private String remedy = "correct the record";
  private transient String file;

  /**
   * @param table the table, for messages
   * @param shape the type of the rows, see {@link Shape}
   * @param lenient a line that cannot be read is left out
   */
  protected Decoder(String table, String shape, boolean lenient) {
    this.table = table;
    this.shape = shape;
    this.lenient = lenient;
  }

  final Shape row() {
    return Shape.parse(shape);
  }

  /** What to do about a record that cannot be read, for messages. */
  final Decoder advising(String advice) {
    if (advice != null) remedy = advice;
    return this;
  }

  /** A file, of an encoded URI, is about to be read from a line's start on. */
  public final void begin(String uri) {
    file = uri;
  }

  /** The error for the file that is being read. */
  protected final UnreadableException unreadableFile(String reason) {
    return UnreadableException.ofFile(table, file, reason);
  }

  /**
   * The file is read.
   *
   * @throws UnreadableException if it ends within a record
   */
  public void end() {}

  /** Reads most lines straight into columns, others not at all; null where there is no such way. */
  public LineCells cells() {
    return null;
  }

  /**
   * The changes of a line of a file: rows of kind, suffix of the path, the columns, and metadata.
   *
   * @param number of the line in its file, from 1; 0 if not known
   * @param position of the line in its file, in bytes
   * @param aside takes what is wrong with a record that cannot be read; null where that is an error
   */
  public final ArrayData lineChanges(
      UTF8String line, long number, long position, Consumer<InternalRow> aside) {
    return attempted(
        line,
        this::decode,
        e -> {
          String place = number > 0 ? ", line " + number : ", byte " + position;
          if (aside == null) refuse(UnreadableException.path(file) + place, line, e);
          else aside.accept(fault(number, line, e));
        });
  }

  /**
   * The changes of a record.
   *
   * @param reading makes them
   * @param wrong told of what is wrong with one that cannot be read, and has no changes then
   */
  private ArrayData attempted(UTF8String record, Reading reading, Consumer<Exception> wrong) {
    if (record == null || skips(record)) return NOTHING;
    try {
      return reading.of(record);
    } catch (RegistryException | UnreadableException e) {
      throw e;
    } catch (Exception e) {
      wrong.accept(e);
      return NOTHING;
    }
  }

  private void refuse(String where, UTF8String record, Exception why) {
    if (!lenient) {
      String message = "a record of " + table + " cannot be read: " + DataException.reason(why);
      String shown = DataException.shown(shown(record));
      throw new UnreadableException(message + ": " + shown, where, remedy);
    }
  }

  private InternalRow fault(long number, UTF8String record, Exception why) {
    UTF8String reason = UTF8String.fromString(DataException.reason(why));
    return new GenericInternalRow(new Object[] {number, reason, record(record)});
  }

  /** The changes of a part of a message, which an error names by its place. */
  public final ArrayData messageChanges(
      UTF8String part, UTF8String topic, int partition, long offset) {
    return attempted(
        part,
        this::decodeMessage,
        e -> {
          String place = "topic " + topic + ", partition " + partition + ", offset " + offset;
          refuse(place, part, e);
        });
  }

  /** The changes of a part of a message, and what is wrong with one that cannot be read. */
  public final InternalRow messageOutcome(UTF8String part) {
    InternalRow[] fault = new InternalRow[1];
    ArrayData changes = attempted(part, this::decodeMessage, e -> fault[0] = fault(0, part, e));
    return new GenericInternalRow(new Object[] {changes, fault[0]});
  }

  /** The bytes of the record that ends with a line. */
  protected byte[] record(UTF8String line) {
    return line.getBytes();
  }

  /** Whether a line is not looked at, as empty ones. */
  protected boolean skips(UTF8String line) {
    return line.numBytes() == 0;
  }

  /** A line as messages show it. */
  protected Object shown(UTF8String line) {
    return line;
  }

  /** The first bytes of a record that is no text, as messages show it. */
  protected static String hexadecimal(UTF8String record) {
    byte[] bytes = record.getBytes();
    int length = Math.min(bytes.length, SHOWN);
    return HexFormat.ofDelimiter(" ").formatHex(bytes, 0, length)
        + (length < bytes.length ? " ..." : "");
  }

  protected abstract ArrayData decode(UTF8String line) throws Exception;

  /** The changes of a part of a message, which is a record by itself. */
  protected ArrayData decodeMessage(UTF8String part) throws Exception {
    return decode(part);
  }

  @FunctionalInterface
  private interface Reading {
    ArrayData of(UTF8String record) throws Exception;
  }

  protected static ArrayData inserts(List<InternalRow> rows) {
    Object[] changes = new Object[rows.size()];
    for (int i = 0; i < changes.length; i++) {
      changes[i] = change(RowKinds.INSERT, suffix(i), rows.get(i), NO_METADATA);
    }
    return new GenericArrayData(changes);
  }

  /** The suffix of the next of a line's changes. */
  protected static byte[] suffix(List<InternalRow> before) {
    return suffix(before.size());
  }

  /** Rows of one line have one order number; the suffix tells them apart. */
  private static byte[] suffix(int index) {
    return index == 0 ? null : ByteBuffer.allocate(4).putInt(index).array();
  }

  protected static ArrayData insert(InternalRow row) {
    return new GenericArrayData(new Object[] {change(RowKinds.INSERT, null, row, NO_METADATA)});
  }

  /** A row of kind, suffix and a row's columns. */
  protected static InternalRow change(
      byte kind, byte[] suffix, InternalRow row, Object[] metadata) {
    Object[] columns = ((GenericInternalRow) row).values();
    Object[] values = new Object[2 + columns.length + metadata.length];
    values[0] = kind;
    values[1] = suffix;
    System.arraycopy(columns, 0, values, 2, columns.length);
    System.arraycopy(metadata, 0, values, 2 + columns.length, metadata.length);
    return new GenericInternalRow(values);
  }
}
