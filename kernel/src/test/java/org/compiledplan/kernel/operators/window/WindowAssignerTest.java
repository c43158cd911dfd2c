package org.compiledplan.kernel.operators.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.compiledplan.kernel.operators.base.Specs;
import org.compiledplan.kernel.operators.base.TimeMath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowAssignerTest {
  private static final int FROM = -70;
  private static final int TO = 70;

  /** Compares with all windows that begin near a time and contain it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type': 'tumbling', 'size': 10, 'offset': 0}",
        "{'type': 'tumbling', 'size': 7, 'offset': -3}",
        "{'type': 'hopping', 'size': 10, 'slide': 5, 'offset': 0}",
        "{'type': 'hopping', 'size': 10, 'slide': 4, 'offset': 1}",
        "{'type': 'hopping', 'size': 6, 'slide': 9, 'offset': 23}",
        "{'type': 'cumulative', 'maxSize': 12, 'step': 4, 'offset': 0}",
        "{'type': 'cumulative', 'maxSize': 12, 'step': 3, 'offset': -5}"
      })
  void aTimeIsInTheWindowsThatHoldIt(String window) {
    WindowAssigner assigner = assigner(window);
    Map<Long, List<Long>> bySlice = new HashMap<>();
    for (long time = FROM; time <= TO; time++) {
      assigner.assign(time);
      List<Long> ends = new ArrayList<>();
      for (long end = assigner.first; end <= assigner.last; end += assigner.interval) ends.add(end);
      assertEquals(holding(window, time), ends, window + " at " + time);
      for (long end : ends) {
        assertTrue(assigner.start(end) <= time && time < end, window + ", " + time + ", " + end);
      }
      List<Long> slice = bySlice.computeIfAbsent(assigner.slice, end -> ends);
      assertEquals(slice, ends, "times of a slice have the same windows");
    }
  }

  private static List<Long> holding(String text, long time) {
    var window = Specs.json(text);
    boolean cumulative = window.path("type").asText().equals("cumulative");
    long size = window.path(cumulative ? "maxSize" : "size").asLong();
    long step = window.path(cumulative ? "step" : "slide").asLong(size);
    long distance = cumulative ? size : step;
    List<Long> ends = new ArrayList<>();
    for (long n = -100; n <= 100; n++) {
      long start = n * distance + window.path("offset").asLong();
      for (long end = cumulative ? start + step : start + size; end <= start + size; end += step) {
        if (start <= time && time < end) ends.add(end);
      }
    }
    return ends.stream().sorted().toList();
  }

  @Test
  void windowsWithoutASizeAndTooLongOnesAreRefused() {
    for (String size : List.of("0", "-1", Long.toString(Long.MAX_VALUE))) {
      String window = "{'type': 'tumbling', 'size': " + size + ", 'offset': 0}";
      String message =
          assertThrows(IllegalArgumentException.class, () -> assigner(window)).getMessage();
      assertTrue(message.startsWith("operator o-1 (test) has windows "), message);
    }
    Exception unknown =
        assertThrows(IllegalArgumentException.class, () -> assigner("{'type': 'sliding'}"));
    assertEquals("operator o-1 (test) has windows of unknown type sliding", unknown.getMessage());
  }

  @Test
  void windowsOfTheFurthestTimesStayWithinALong() {
    WindowAssigner assigner =
        assigner(
            "{'type': 'hopping', 'size': " + TimeMath.MAX_WINDOW + ", 'slide': 1000, 'offset': 0}");
    for (long time : new long[] {TimeMath.MAX_TIME, -TimeMath.MAX_TIME}) {
      assigner.assign(time);
      assertTrue(time < assigner.first && assigner.first <= assigner.last);
      assertTrue(assigner.last - TimeMath.MAX_WINDOW <= time);
    }
  }

  private static WindowAssigner assigner(String window) {
    return new WindowAssigner(Specs.of("{'window': " + window + "}", true));
  }
}
