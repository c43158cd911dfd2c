package org.compiledplan.kernel.values;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.compiledplan.kernel.values.ValueType.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValueCodecTest {
  private static final ValueType LONG = ValueType.of(Kind.LONG);
  private static final ValueType STRING = ValueType.of(Kind.STRING);

  private static Arguments value(ValueType type, Object value, String bytes) {
    return Arguments.of(type, value, bytes);
  }

  /** A value of each kind, and its bytes, which are in checkpoints: they never change. */
  static Stream<Arguments> values() {
    return Stream.of(
        value(LONG, null, "00"),
        value(ValueType.of(Kind.BOOLEAN), false, "01"),
        value(ValueType.of(Kind.BOOLEAN), true, "02"),
        value(ValueType.of(Kind.BYTE), (byte) -1, "0301"),
        value(ValueType.of(Kind.SHORT), (short) 300, "03d804"),
        value(ValueType.of(Kind.INT), -64, "037f"),
        value(LONG, Long.MIN_VALUE, "03ffffffffffffffffff01"),
        value(LONG, Long.MAX_VALUE, "03feffffffffffffffff01"),
        value(ValueType.of(Kind.FLOAT), 1.5f, "043ff8000000000000"),
        value(ValueType.of(Kind.DOUBLE), Double.NaN, "047ff8000000000000"),
        value(ValueType.decimal(5, 2), new BigDecimal("-1.25"), "0504f901"),
        value(
            ValueType.decimal(38, 0),
            new BigDecimal("18446744073709551616"),
            "060009010000000000000000"),
        value(STRING, "é😀", "0706c3a9f09f9880"),
        value(ValueType.of(Kind.BINARY), new byte[] {0, -1}, "080200ff"),
        value(ValueType.of(Kind.DATE), LocalDate.of(1969, 12, 31), "0901"),
        value(ValueType.of(Kind.TIME), LocalTime.ofNanoOfDay(300), "0aac02"),
        value(ValueType.of(Kind.TIMESTAMP), Instant.ofEpochSecond(-1, 5000), "0b018827"),
        value(ValueType.of(Kind.TIMESTAMP_NTZ), LocalDateTime.of(1970, 1, 1, 0, 0, 1, 1), "0c0201"),
        value(ValueType.of(Kind.DAY_TIME), Duration.ofMillis(-500), "0d0180cab5ee01"),
        value(ValueType.of(Kind.YEAR_MONTH), Period.of(1, 1, 0), "0e1a"),
        value(
            ValueType.nested(Kind.ROW, LONG, STRING),
            new Struct(new Object[] {1L, "a"}),
            "0f020302070161"),
        value(ValueType.nested(Kind.ARRAY, LONG), Arrays.asList(1L, null), "1002030200"),
        value(ValueType.nested(Kind.MAP, STRING, LONG), Map.of("a", 2L), "11010701610304"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void aValueHasItsBytes(ValueType type, Object value, String bytes) {
    byte[] written = written(value);
    assertEquals(bytes, HexFormat.of().formatHex(written));
    ByteReader in = new ByteReader(written);
    Object read = ValueCodec.read(in, type);
    assertTrue(Values.equal(value, read), () -> value + " became " + read);
    assertFalse(in.hasMore());
  }

  @Test
  void wholeNumbersOfAllWidthsHaveTheSameBytes() {
    assertArrayEquals(written(7L), written((byte) 7));
    assertArrayEquals(written(7L), written(7));
    assertArrayEquals(written(1.5), written(1.5f));
  }

  @ParameterizedTest
  @MethodSource("wider")
  void bytesAreReadAsAWiderType(Object old, ValueType type, Object expected) {
    assertEquals(expected, ValueCodec.read(new ByteReader(written(old)), type));
  }

  static Stream<Arguments> wider() {
    return Stream.of(
        Arguments.of(7, LONG, 7L),
        Arguments.of(7, ValueType.of(Kind.DOUBLE), 7.0),
        Arguments.of(7, ValueType.decimal(12, 2), new BigDecimal("7.00")),
        Arguments.of(1.5f, ValueType.of(Kind.DOUBLE), 1.5),
        Arguments.of(new BigDecimal("1.5"), ValueType.decimal(9, 3), new BigDecimal("1.500")));
  }

  @Test
  void aRowLeavesOutItsTrailingNullsAndGetsThemBack() {
    ByteWriter short_ = new ByteWriter();
    ByteWriter long_ = new ByteWriter();
    ValueCodec.writeRow(new Object[] {1L, null}, short_);
    ValueCodec.writeRow(new Object[] {1, null, null, null}, long_);
    assertArrayEquals(short_.toBytes(), long_.toBytes());
    Object[] read =
        ValueCodec.readRow(new ByteReader(short_.toBytes()), new ValueType[] {LONG, LONG, STRING});
    assertArrayEquals(new Object[] {1L, null, null}, read);
  }

  @Test
  void fieldsBeyondTheTypesArePassedOver() {
    ByteWriter out = new ByteWriter();
    Object nested = new Struct(new Object[] {List.of("x"), Map.of("k", new byte[] {1})});
    ValueCodec.writeRow(new Object[] {1L, nested, "last"}, out);
    out.writeByte(99);
    ByteReader in = new ByteReader(out.toBytes());
    assertArrayEquals(new Object[] {1L}, ValueCodec.readRow(in, new ValueType[] {LONG}));
    assertEquals(99, in.readByte());
  }

  @Test
  void invalidValuesAreRefused() {
    Exception written = assertThrows(RuntimeException.class, () -> written(new Object()));
    assertEquals(
        "values of class java.lang.Object cannot be stored in state", written.getMessage());
    ByteReader in = new ByteReader(new byte[] {99});
    Exception read = assertThrows(RuntimeException.class, () -> ValueCodec.read(in, LONG));
    assertEquals("unknown tag 99 in state bytes", read.getMessage());
  }

  private static byte[] written(Object value) {
    ByteWriter out = new ByteWriter(0);
    ValueCodec.write(value, out);
    return out.toBytes();
  }
}
