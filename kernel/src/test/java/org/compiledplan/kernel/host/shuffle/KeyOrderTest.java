package org.compiledplan.kernel.host.shuffle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
  private final Random random = new Random(20_261_124);
  private final KeyNumbers numbers = new KeyNumbers();

  @Test
  void keysAreNumberedAsTheyFirstCome() {
    Map<String, Integer> model = new HashMap<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 20_000; i++) {
        String key = text(random.nextInt(8));
        int expected = model.computeIfAbsent(key, text -> model.size());
        assertEquals(expected, numbers.of(UTF8String.fromString(key)), key);
      }
      assertEquals(model.size(), numbers.size());
      model.forEach((key, number) -> assertEquals(key, numbers.key(number).toString()));
      numbers.clear();
      model.clear();
    }
  }

  /**
   * Order by length, then by first bytes, unsigned: a neighbour is likely in the processor's cache.
   */
  @Test
  void manyKeysAreInTheOrderOfTheStore() {
    List<String> texts = new ArrayList<>(List.of("", "~", "ä", "日本"));
    for (int i = 0; i < 300; i++) texts.add(text(1 + random.nextInt(9)));
    for (String text : texts) numbers.of(UTF8String.fromString(text));
    int[] order = KeyOrder.of(numbers);
    assertArrayEquals(
        IntStream.range(0, numbers.size()).toArray(), IntStream.of(order).sorted().toArray());
    for (int i = 1; i < order.length; i++) {
      byte[] before = bytes(order[i - 1]);
      byte[] key = bytes(order[i]);
      boolean shorter = before.length < key.length;
      boolean first = Arrays.compareUnsigned(Arrays.copyOf(before, 7), Arrays.copyOf(key, 7)) <= 0;
      assertTrue(shorter || before.length == key.length && first, numbers.key(order[i]).toString());
    }
  }

  private byte[] bytes(int number) {
    return numbers.key(number).toString().getBytes(StandardCharsets.UTF_8);
  }

  private String text(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) text.append("0123456789ab".charAt(random.nextInt(12)));
    return text.toString();
  }
}
