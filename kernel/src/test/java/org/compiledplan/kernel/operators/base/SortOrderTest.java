package org.compiledplan.kernel.operators.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SortOrderTest {
  private static final String FIELD = "{'index': %d, 'ascending': %b, 'nullsLast': %b}";

  @ParameterizedTest
  @CsvSource({
    "true, true, 1 2 null",
    "true, false, null 1 2",
    "false, true, 2 1 null",
    "false, false, null 2 1"
  })
  void nullsStandWhereTheyAreToStandInEitherDirection(
      boolean ascending, boolean nullsLast, String expected) {
    SortOrder order = order(String.format(FIELD, 0, ascending, nullsLast));
    List<Object[]> rows = new ArrayList<>();
    for (Integer value : Arrays.asList(2, null, 1)) rows.add(new Object[] {value});
    rows.sort(order);
    String sorted = rows.stream().map(row -> "" + row[0]).collect(Collectors.joining(" "));
    assertEquals(expected, sorted);
    assertEquals(0, order.compare(new Object[] {null}, new Object[] {null}));
  }

  @Test
  void aLaterColumnDecidesWhereEarlierOnesAreEqual() {
    SortOrder order =
        order(String.format(FIELD, 2, true, true), String.format(FIELD, 0, false, true));
    Object[] row = {"b", "not looked at", 0.0};
    assertEquals(-1, Integer.signum(order.compare(row, new Object[] {"a", "", -0.0})));
    assertEquals(-1, Integer.signum(order.compare(row, new Object[] {"z", "", 1.0})));
    assertEquals(0, order.compare(row, new Object[] {"b", "other", 0.0}));
  }

  @Test
  void withoutColumnsAllRowsAreEqual() {
    assertEquals(0, order().compare(new Object[] {1}, new Object[] {2}));
  }

  private static SortOrder order(String... fields) {
    return new SortOrder(Specs.json("[" + String.join(",", fields) + "]"));
  }
}
