package org.compiledplan.kernel.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ValuesTest {
  /** Pairs that are equal here but not by their classes' equality. */
  static Stream<Arguments> equals() {
    Map<Object, Object> nullValue = new HashMap<>();
    nullValue.put("k", null);
    return Stream.of(
        Arguments.of(null, null),
        Arguments.of(new byte[] {1, 2}, new byte[] {1, 2}),
        Arguments.of(new BigDecimal("1.0"), new BigDecimal("1.00")),
        Arguments.of(new BigDecimal("0E+3"), BigDecimal.ZERO),
        Arguments.of(-0.0, 0.0),
        Arguments.of(-0.0f, 0.0f),
        Arguments.of(Double.NaN, Double.NaN),
        Arguments.of(Float.NaN, Float.NaN),
        Arguments.of(Arrays.asList(new byte[] {1}, null), Arrays.asList(new byte[] {1}, null)),
        Arguments.of(Map.of("k", new BigDecimal("1.0")), Map.of("k", new BigDecimal("1"))),
        Arguments.of(nullValue, new HashMap<>(nullValue)));
  }

  @ParameterizedTest
  @MethodSource
  void equals(Object a, Object b) {
    Object[] left = {a};
    Object[] right = {b};
    assertTrue(Values.equalRows(left, right));
    assertTrue(Values.equalFields(left, right, new int[] {0}));
    assertEquals(Values.hashRow(left), Values.hashRow(right));
  }

  @Test
  void unequal() {
    Map<Object, Object> nullValue = new HashMap<>();
    nullValue.put("k", null);
    Object[] values = {
      null,
      0L,
      0,
      0.5,
      Double.NaN,
      "0",
      new byte[] {0},
      List.of(),
      List.of(0L),
      nullValue,
      Map.of("other", 0L),
      Map.of("k", 0L)
    };
    for (int i = 0; i < values.length; i++) {
      for (int j = 0; j < values.length; j++) {
        assertEquals(i == j, Values.equal(values[i], values[j]), values[i] + " and " + values[j]);
      }
    }
  }

  /** Values of one type, each less than the next. */
  static Stream<List<?>> ordered() {
    return Stream.of(
        List.of(false, true),
        List.of(Double.NEGATIVE_INFINITY, -1.0, 0.0, 1.0, Double.POSITIVE_INFINITY, Double.NaN),
        List.of(Float.NEGATIVE_INFINITY, 0.0f, Float.POSITIVE_INFINITY, Float.NaN),
        List.of(new byte[] {}, new byte[] {0}, new byte[] {127}, new byte[] {-128, 0}),
        List.of(new BigDecimal("-1"), new BigDecimal("0.10"), new BigDecimal("0.2")),
        // By UTF-8 bytes: surrogates, which are less than U+FFFD as chars, come last.
        List.of("", "A", "a", "ab", "é", "\uFFFD", "😀"),
        List.of(List.of(), Arrays.asList((Object) null), List.of(1L), List.of(1L, 0L), List.of(2L)),
        List.of(
            new Struct(new Object[] {null, 9L}),
            new Struct(new Object[] {1L, null}),
            new Struct(new Object[] {1L, 2L})));
  }

  @ParameterizedTest
  @MethodSource("ordered")
  void order(List<?> values) {
    for (int i = 0; i < values.size(); i++) {
      for (int j = 0; j < values.size(); j++) {
        int order = Values.compare(values.get(i), values.get(j));
        assertEquals(Integer.compare(i, j), Integer.signum(order), values + ", " + i + ", " + j);
      }
    }
  }

  @Test
  void zerosAreEqualInTheOrder() {
    assertEquals(0, Values.compare(-0.0, 0.0));
    assertEquals(0, Values.compare(-0.0f, 0.0f));
  }

  @Test
  void textsAreInTheOrderOfTheirBytes() {
    String[] texts = {"z", "zz", "\u07FF", "\u0800", "\uE000", "\uFFFF", "\uD800\uDC00", "𝒳a"};
    for (String a : texts) {
      for (String b : texts) {
        int bytes =
            Arrays.compareUnsigned(
                a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
        assertEquals(Integer.signum(bytes), Integer.signum(Values.compare(a, b)), a + ", " + b);
      }
    }
  }

  @Test
  void mapsHaveNoOrder() {
    Map<Object, Object> map = Map.of();
    assertThrows(IllegalArgumentException.class, () -> Values.compare(map, map));
  }

  @Test
  void keysOfHashMapsGoByContentAndByBits() {
    assertEquals(Values.mapKey(new byte[] {1}), Values.mapKey(new byte[] {1}));
    assertEquals(
        Values.mapKey(new Struct(new Object[] {new byte[] {1}, null})),
        Values.mapKey(new Struct(new Object[] {new byte[] {1}, null})));
    assertNotEquals(Values.mapKey(-0.0), Values.mapKey(0.0));
  }
}
