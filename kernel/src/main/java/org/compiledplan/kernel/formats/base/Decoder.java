package org.compiledplan.kernel.formats.base;

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
import org.compiledplan.kernel.values.RowKinds;

/**
 * Decodes lines of files and parts of messages into rows. Spark calls the message methods by name,
 * with its internal values, so that a row needs no conversion.
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
   * @param table name of the table, for messages
   * @param shape type of the rows, see {@link Shape}
   * @param lenient true if malformed lines are skipped
   */
  protected Decoder(String table, String shape, boolean lenient) {
    this.table = table;
    this.shape = shape;
    this.lenient = lenient;
  }

  protected final Shape row() {
    return Shape.parse(shape);
  }

  /** Sets the advice for a malformed record, for messages. */
  public final Decoder advising(String advice) {
    if (advice != null) remedy = advice;
    return this;
  }

  /** Starts a file; {@code uri} is encoded. Reading starts at the beginning of a line. */
  public final void begin(String uri) {
    file = uri;
  }

  /** The error for the current file. */
  protected final UnreadableException unreadableFile(String reason) {
    return UnreadableException.ofFile(table, file, reason);
  }

  /**
   * Ends a file.
   *
   * @throws UnreadableException if it ends within a record
   */
  public void end() {}

  /**
   * Returns a parser that converts most lines directly into the columns that are read; null if the
   * format has none.
   */
  public LineCells cells() {
    return null;
  }

  /**
   * Returns the changes of a line of a file: rows of kind, suffix of the path, the columns, and
   * metadata.
   *
   * @param number line number in the file, from 1; 0 if unknown
   * @param position position of the line in the file, in bytes
   * @param aside receives the fault of a malformed record; null if it is an error
   * @throws UnreadableException if the record is malformed and {@code aside} is null
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
   * Decodes a record.
   *
   * @param reading decodes the changes
   * @param wrong receives the error of a malformed record, which has no changes
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

  /**
   * Returns the changes of a part of a message; an error names the message's topic, partition and
   * offset.
   */
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

  /** Returns the changes of a part of a message, and the fault of a malformed one. */
  public final InternalRow messageOutcome(UTF8String part) {
    InternalRow[] fault = new InternalRow[1];
    ArrayData changes = attempted(part, this::decodeMessage, e -> fault[0] = fault(0, part, e));
    return new GenericInternalRow(new Object[] {changes, fault[0]});
  }

  /** The bytes of the record that ends with a line. */
  protected byte[] record(UTF8String line) {
    return line.getBytes();
  }

  /** Returns true if a line is skipped, such as an empty one. */
  protected boolean skips(UTF8String line) {
    return line.numBytes() == 0;
  }

  /** The form of a line in messages. */
  protected Object shown(UTF8String line) {
    return line;
  }

  /** The first bytes of a binary record, for messages. */
  protected static String hexadecimal(UTF8String record) {
    byte[] bytes = record.getBytes();
    int length = Math.min(bytes.length, SHOWN);
    return HexFormat.ofDelimiter(" ").formatHex(bytes, 0, length)
        + (length < bytes.length ? " ..." : "");
  }

  protected abstract ArrayData decode(UTF8String line) throws Exception;

  /** The changes of a part of a message, which is a separate record. */
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

  /** Rows of one line share the order number; the suffix distinguishes them. */
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
