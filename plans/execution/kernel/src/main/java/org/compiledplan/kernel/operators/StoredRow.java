package org.compiledplan.kernel.operators;

import java.util.Arrays;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;

/** A row in state: its bytes, decoded when asked for, with the time of its last write. */
final class StoredRow {
  private final byte[] buffer;
  private final int offset;
  final int length;
  long lastWrite;
  /** Outer and semi joins: how many rows of the other side match. */
  int associations;
  boolean removed;
  private Object[] row;

  StoredRow(byte[] buffer, int offset, int length, long lastWrite, int associations) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
    this.lastWrite = lastWrite;
    this.associations = associations;
  }

  Object[] row(ValueType[] types) {
    if (row == null) row = ValueCodec.readRow(new ByteReader(buffer, offset, length), types);
    return row;
  }

  byte[] buffer() {
    return buffer;
  }

  int offset() {
    return offset;
  }

  /** Equal rows have equal bytes, so this is a key for looking rows up. */
  Bytes bytes() {
    return new Bytes(buffer, offset, length);
  }

  /** A slice of bytes as the key of a map. */
  static final class Bytes {
    private final byte[] buffer;
    private final int offset;
    private final int length;
    private final int hash;

    Bytes(byte[] buffer, int offset, int length) {
      this.buffer = buffer;
      this.offset = offset;
      this.length = length;
      int sum = 1;
      for (int i = offset; i < offset + length; i++) sum = 31 * sum + buffer[i];
      this.hash = sum;
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Bytes)) return false;
      Bytes that = (Bytes) other;
      return hash == that.hash && Arrays.equals(
          buffer, offset, offset + length, that.buffer, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
