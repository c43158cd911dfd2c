package org.compiledplan.kernel.operators;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** Rows with their kinds in the order they came, as bytes: adding one leaves those that are there untouched. */
final class RowList {
  /** A row that is taken out. */
  static final class Entry {
    final byte kind;
    final Object[] row;

    Entry(byte kind, Object[] row) {
      this.kind = kind;
      this.row = row;
    }
  }

  private final ByteWriter bytes;
  private int count;

  RowList() {
    bytes = new ByteWriter(64);
  }

  /** What {@link #write} wrote. */
  RowList(ByteReader in) {
    count = in.readVarInt();
    int length = in.readVarInt();
    bytes = new ByteWriter(length + 64);
    bytes.writeBytes(in.array(), in.position(), length);
    in.skip(length);
  }

  void add(byte kind, Object[] row) {
    bytes.writeByte(kind);
    ValueCodec.writeRow(row, bytes);
    count++;
  }

  /** Puts another list's rows behind its own. */
  void addAll(RowList other) {
    bytes.writeBytes(other.bytes.array(), 0, other.bytes.size());
    count += other.count;
  }

  int size() {
    return count;
  }

  List<Entry> entries(ValueType[] types) {
    ByteReader in = new ByteReader(bytes.array(), 0, bytes.size());
    List<Entry> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) rows.add(new Entry((byte) in.readByte(), ValueCodec.readRow(in, types)));
    return rows;
  }

  List<Object[]> rows(ValueType[] types) {
    List<Object[]> rows = new ArrayList<>(count);
    for (Entry entry : entries(types)) rows.add(entry.row);
    return rows;
  }

  void write(ByteWriter out) {
    out.writeVarLong(count);
    out.writeSized(bytes);
  }
}
