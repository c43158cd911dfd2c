package org.compiledplan.kernel.state.conversion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueCodec;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import org.compiledplan.kernel.values.Values;
import org.junit.jupiter.api.Test;

class WideningTest {
  /** Numeric types, with the least and the greatest value of each. */
  private static final Map<ValueType, List<Object>> NUMBERS =
      Map.ofEntries(
          Map.entry(ValueType.of(Kind.BYTE), List.of(Byte.MIN_VALUE, Byte.MAX_VALUE)),
          Map.entry(ValueType.of(Kind.SHORT), List.of(Short.MIN_VALUE, Short.MAX_VALUE)),
          Map.entry(ValueType.of(Kind.INT), List.of(Integer.MIN_VALUE, Integer.MAX_VALUE)),
          Map.entry(ValueType.of(Kind.LONG), List.of(Long.MIN_VALUE, Long.MAX_VALUE)),
          decimal(3, 0),
          decimal(5, 0),
          decimal(9, 0),
          decimal(10, 0),
          decimal(12, 2),
          decimal(12, 7),
          decimal(18, 0),
          decimal(19, 0),
          decimal(38, 18));

  private static Map.Entry<ValueType, List<Object>> decimal(int precision, int scale) {
    BigDecimal greatest = new BigDecimal("9".repeat(precision)).movePointLeft(scale);
    return Map.entry(ValueType.decimal(precision, scale), List.of(greatest.negate(), greatest));
  }

  /** A type is widened into another exactly if that holds its least and greatest value. */
  @Test
  void exactlyTheTypesThatHoldAllValuesAreWider() {
    NUMBERS.forEach(
        (from, ends) ->
            NUMBERS.forEach(
                (to, others) -> {
                  boolean holds = holds(from, ends, to, others);
                  Widening widening = Widening.of(from, to);
                  assertEquals(holds, widening != null, from + " to " + to);
                  if (holds) ends.forEach(value -> stays(widening, value, to));
                }));
  }

  private static boolean holds(
      ValueType from, List<Object> ends, ValueType to, List<Object> others) {
    if (from.kind() == Kind.DECIMAL && to.kind() != Kind.DECIMAL) return false;
    return from.scale() <= to.scale()
        && number(ends.get(1)).toBigInteger().compareTo(number(others.get(1)).toBigInteger()) <= 0;
  }

  private static BigDecimal number(Object value) {
    return new BigDecimal(value.toString());
  }

  /** A value equals the wider type's, and its bytes are the same if so declared. */
  private static void stays(Widening widening, Object value, ValueType to) {
    Object wide = widening.apply(value);
    assertEquals(0, number(value).compareTo(number(wide)));
    assertEquals(to.scale(), number(wide).scale());
    assertEquals(
        widening.sameBytes(), Arrays.equals(bytes(value), bytes(wide)), value + " as " + to);
    Object read = ValueCodec.read(new ByteReader(bytes(wide)), to);
    assertTrue(Values.equal(wide, read));
    assertEquals(wide.getClass(), read.getClass());
  }

  @Test
  void floatingNumbersHoldWholeOnesOfFewDigits() {
    ValueType single = ValueType.of(Kind.FLOAT);
    ValueType twice = ValueType.of(Kind.DOUBLE);
    assertEquals(32_767f, Widening.of(ValueType.of(Kind.SHORT), single).apply((short) 32_767));
    assertNull(Widening.of(ValueType.of(Kind.INT), single));
    assertEquals(2.0, Widening.of(ValueType.of(Kind.INT), twice).apply(2));
    assertNull(Widening.of(ValueType.of(Kind.LONG), twice));
    assertEquals(1.5, Widening.of(single, twice).apply(1.5f));
    assertNull(Widening.of(twice, single));
    assertNull(Widening.of(ValueType.decimal(3, 1), twice));
  }

  @Test
  void nestedTypesAreWiderWhereTheirPartsAre() {
    ValueType text = ValueType.of(Kind.STRING);
    ValueType narrow = nested(ValueType.of(Kind.INT), text);
    Widening same = Widening.of(narrow, nested(ValueType.of(Kind.LONG), text));
    assertTrue(same.sameBytes());
    Widening wider = Widening.of(narrow, nested(ValueType.decimal(12, 2), text));
    assertEquals(false, wider.sameBytes());
    Object value = new Struct(new Object[] {Arrays.asList(1, null), Map.of("k", 2), null});
    Object expected =
        new Struct(
            new Object[] {
              Arrays.asList(new BigDecimal("1.00"), null), Map.of("k", new BigDecimal("2.00")), null
            });
    assertTrue(Values.equal(expected, wider.apply(value)));
    assertNull(wider.apply(null));
    assertNull(Widening.of(narrow, nested(ValueType.of(Kind.SHORT), text)));
    assertNull(Widening.of(narrow, ValueType.nested(Kind.ROW, text)));
    assertNotNull(Widening.of(text, text));
  }

  private static ValueType nested(ValueType number, ValueType text) {
    return ValueType.nested(
        Kind.ROW,
        ValueType.nested(Kind.ARRAY, number),
        ValueType.nested(Kind.MAP, text, number),
        text);
  }

  private static byte[] bytes(Object value) {
    ByteWriter out = new ByteWriter();
    ValueCodec.write(value, out);
    return out.toBytes();
  }
}
