package org.compiledplan.kernel.state.serialization;

import java.util.Arrays;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/**
 * A row as bytes, decoded on demand. Equal rows have equal bytes, so it can serve as a hash key.
 */
public final class PackedRow {
  public static final PackedRow NONE = new PackedRow(new byte[0], 0, 0);

  final byte[] buffer;
  final int offset;
  final int length;
  private Object[] row;
  private int hash;

  /** Bytes written by {@link ValueCodec#writeRow}; length 0 for no row. */
  PackedRow(byte[] buffer, int offset, int length) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
  }

  public static PackedRow of(Object[] row) {
    return of(row, row.length);
  }

  /** Returns a packed row with the columns {@code columns} of a row. */
  public static PackedRow of(Object[] row, int[] columns) {
    Object[] values = new Object[columns.length];
    for (int i = 0; i < values.length; i++) values[i] = row[columns[i]];
    return of(values);
  }

  private static PackedRow of(Object[] row, int width) {
    ByteWriter writer = new ByteWriter(16 * width + 16);
    ValueCodec.writeRow(row, writer);
    return new PackedRow(writer.array(), 0, writer.size());
  }

  public boolean isNone() {
    return length == 0;
  }

  public Object[] row(ValueType[] types) {
    if (row == null) row = ValueCodec.readRow(new ByteReader(buffer, offset, length), types);
    return row;
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof PackedRow that)) return false;
    return hashCode() == that.hashCode()
        && Arrays.equals(
            buffer, offset, offset + length, that.buffer, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    if (hash == 0) {
      int sum = 1;
      for (int i = offset; i < offset + length; i++) sum = 31 * sum + buffer[i];
      hash = sum == 0 ? 1 : sum;
    }
    return hash;
  }
}
