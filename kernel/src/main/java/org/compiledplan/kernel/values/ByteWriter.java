package org.compiledplan.kernel.values;

import java.util.Arrays;

/** A growing buffer of bytes with the few number formats that state uses. */
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

  /** A number that is not negative, seven bits a byte. */
  public void writeVarLong(long value) {
    reserve(10);
    while ((value & ~0x7FL) != 0) {
      buffer[size++] = (byte) ((value & 0x7F) | 0x80);
      value >>>= 7;
    }
    buffer[size++] = (byte) value;
  }

  /** Any number, small magnitudes short. */
  public void writeSigned(long value) {
    writeVarLong((value << 1) ^ (value >> 63));
  }

  public void writeBytes(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, buffer, size, length);
    size += length;
  }

  /** The bytes of another writer, with their length before them. */
  public void writeSized(ByteWriter source) {
    writeVarLong(source.size);
    writeBytes(source.buffer, 0, source.size);
  }

  /**
   * Begins something with its length before it, see {@link #end}.
   *
   * @return where it begins
   */
  public int begin() {
    writeByte(0);
    return size;
  }

  /** Ends what began there: writes its length, which is one byte in the most cases, before it. */
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
