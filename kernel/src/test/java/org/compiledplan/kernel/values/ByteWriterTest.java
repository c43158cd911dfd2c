package org.compiledplan.kernel.values;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteWriterTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 63, 64, 127, 128, 16_383, 16_384, 1L << 35, Long.MAX_VALUE})
  void numbersAreReadAsTheyWereWritten(long number) {
    ByteWriter out = new ByteWriter(0);
    out.writeVarLong(number);
    assertEquals(Math.max(1, (70 - Long.numberOfLeadingZeros(number)) / 7), out.size());
    for (long signed : new long[] {number, -number, ~number}) {
      out.writeSigned(signed);
      out.writeFixedLong(signed);
    }
    ByteReader in = new ByteReader(out.toBytes());
    assertEquals(number, in.readVarLong());
    for (long signed : new long[] {number, -number, ~number}) {
      assertEquals(signed, in.readSigned());
      assertEquals(signed, in.readFixedLong());
    }
    assertFalse(in.hasMore());
  }

  /** The length is inserted before the existing bytes, in as many bytes as it takes. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 16_383, 16_384, 2_097_152})
  void theLengthPrecedesThePart(int length) {
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) content[i] = (byte) (i * 31);
    ByteWriter out = new ByteWriter(0);
    out.writeByte(7);
    int start = out.begin();
    out.writeBytes(content, 0, length);
    out.end(start);
    out.writeByte(9);
    ByteReader in = new ByteReader(out.toBytes());
    assertEquals(7, in.readByte());
    assertArrayEquals(content, in.readBytes(in.readVarInt()));
    assertEquals(9, in.readByte());
    assertFalse(in.hasMore());
    assertArrayEquals(sized(content), sizedByWriter(content));
  }

  @Test
  void nestedPartsEndFirst() {
    ByteWriter out = new ByteWriter();
    int outer = out.begin();
    int inner = out.begin();
    out.writeBytes(new byte[200], 0, 200);
    out.end(inner);
    out.end(outer);
    ByteReader in = new ByteReader(out.toBytes());
    assertEquals(202, in.readVarInt());
    assertEquals(200, in.readVarInt());
  }

  private static byte[] sized(byte[] content) {
    ByteWriter out = new ByteWriter();
    int start = out.begin();
    out.writeBytes(content, 0, content.length);
    out.end(start);
    return out.toBytes();
  }

  private static byte[] sizedByWriter(byte[] content) {
    ByteWriter inner = new ByteWriter();
    inner.writeBytes(content, 0, content.length);
    ByteWriter out = new ByteWriter();
    out.writeSized(inner);
    return out.toBytes();
  }
}
