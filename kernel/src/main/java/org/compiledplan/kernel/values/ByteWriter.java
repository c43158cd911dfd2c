package org.compiledplan.kernel.values;

import java.util.Arrays;

/** A growing byte buffer with the number formats of state. */
public final class ByteWriter {
  private byte[] buffer;
  private int size;

  public ByteWriter() {
    this(64);
  }

  public ByteWriter(int capacity) {
    buffer = new byte[capacity];
  }

  private void reserve(int more) {
    if (buffer.length - size < more) {
      buffer =
          Arrays.copyOf(buffer, Math.max(size + more, buffer.length + (buffer.length >> 1) + 16));
    }
  }

  public void writeByte(int value) {
    reserve(1);
    buffer[size++] = (byte) value;
  }

  /** Eight bytes, big-endian. */
  public void writeFixedLong(long value) {
    reserve(8);
    putFixedLong(size, value);
    size += 8;
  }

  private void putFixedLong(int at, long value) {
    for (int i = 7; i >= 0; i--) {
      buffer[at + i] = (byte) value;
      value >>>= 8;
    }
  }

  /** A non-negative number, seven bits per byte. */
  public void writeVarLong(long value) {
    reserve(10);
    while ((value & ~0x7FL) != 0) {
      buffer[size++] = (byte) ((value & 0x7F) | 0x80);
      value >>>= 7;
    }
    buffer[size++] = (byte) value;
  }

  /** Any number, zigzag-encoded: small magnitudes are short. */
  public void writeSigned(long value) {
    writeVarLong((value << 1) ^ (value >> 63));
  }

  public void writeBytes(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, buffer, size, length);
    size += length;
  }

  /** The bytes of another writer, prefixed by their length. */
  public void writeSized(ByteWriter source) {
    writeVarLong(source.size);
    writeBytes(source.buffer, 0, source.size);
  }

  /**
   * Begins a part that is prefixed by its length, see {@link #end}.
   *
   * @return start position of the part
   */
  public int begin() {
    writeByte(0);
    return size;
  }

  /** Ends a part: inserts its length, which is mostly one byte, at its start. */
  public void end(int start) {
    int length = size - start;
    int more = 0;
    for (int left = length >>> 7; left != 0; left >>>= 7) more++;
    if (more > 0) {
      reserve(more);
      System.arraycopy(buffer, start, buffer, start + more, length);
      size += more;
    }
    int at = start - 1;
    for (; more > 0; more--) {
      buffer[at++] = (byte) ((length & 0x7F) | 0x80);
      length >>>= 7;
    }
    buffer[at] = (byte) length;
  }

  public int size() {
    return size;
  }

  public void clear() {
    size = 0;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(buffer, size);
  }

  /** The backing array; valid from 0 to {@link #size()} until the next write. */
  public byte[] array() {
    return buffer;
  }
}
