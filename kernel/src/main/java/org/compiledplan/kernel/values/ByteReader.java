package org.compiledplan.kernel.values;

/** Reads the output of a {@link ByteWriter}. */
public final class ByteReader {
  private final byte[] buffer;
  private final int end;
  private int position;

  public ByteReader(byte[] buffer) {
    this(buffer, 0, buffer.length);
  }

  public ByteReader(byte[] buffer, int offset, int length) {
    this.buffer = buffer;
    this.position = offset;
    this.end = offset + length;
  }

  public int readByte() {
    return buffer[position++];
  }

  public long readFixedLong() {
    long value = 0;
    for (int i = 0; i < 8; i++) value = (value << 8) | (buffer[position + i] & 0xFF);
    position += 8;
    return value;
  }

  public long readVarLong() {
    long value = 0;
    int shift = 0;
    while (true) {
      byte next = buffer[position++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) return value;
      shift += 7;
    }
  }

  public int readVarInt() {
    return (int) readVarLong();
  }

  public long readSigned() {
    long value = readVarLong();
    return (value >>> 1) ^ -(value & 1);
  }

  public byte[] readBytes(int length) {
    byte[] bytes = new byte[length];
    System.arraycopy(buffer, position, bytes, 0, length);
    position += length;
    return bytes;
  }

  public void skip(int length) {
    position += length;
  }

  public int position() {
    return position;
  }

  public boolean hasMore() {
    return position < end;
  }

  public byte[] array() {
    return buffer;
  }
}
