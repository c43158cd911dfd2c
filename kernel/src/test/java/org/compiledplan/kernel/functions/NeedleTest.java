package org.compiledplan.kernel.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeedleTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      nullValues = "none",
      quoteCharacter = '`',
      value = {
        "(&|^)channel_id=([^&]*) -> channel_id=",
        "abc -> abc",
        "ab*cde -> cde",
        "abc? -> ab",
        "abc+d -> abc",
        "ab{0}cd{2} -> a",
        "a\\.b\\d*xy -> a.b",
        "\\bword\\b -> word",
        "[^]a]b -> none",
        "[a&&[b]]c -> none",
        "a|b -> none",
        "(a|b)c -> c",
        "(?i)abc -> none",
        "\\Qa\\E -> none",
        "\\x41bcd -> none",
        "a😀*b -> none",
        "(a -> none",
        "`` -> none",
        "x* -> none",
        "^$ -> none"
      })
  void theLongestTextThatHasToBeThere(String regex, String needle) {
    assertEquals(needle, Needle.of(regex));
  }

  /** Random expressions on random texts. */
  @Test
  void everyMatchHasIt() {
    String[] pieces = "a b ab ba ( ) | * + ? {0} {1,2} [ab] [^a] ^ $ . \\w \\.".split(" ");
    Random random = new Random(20_261_124);
    int matches = 0;
    for (int i = 0; i < 2_000; i++) {
      String regex = joined(random, pieces, 1 + random.nextInt(7));
      Pattern pattern;
      try {
        pattern = Pattern.compile(regex);
      } catch (PatternSyntaxException e) {
        continue;
      }
      String needle = Needle.of(regex);
      if (needle == null) continue;
      for (int j = 0; j < 50; j++) {
        String text = joined(random, new String[] {"a", "b", "."}, random.nextInt(7));
        if (!pattern.matcher(text).find()) continue;
        assertTrue(text.contains(needle), regex + " in " + text);
        matches++;
      }
    }
    assertTrue(matches > 1_000, matches + " matches");
  }

  private static String joined(Random random, String[] pieces, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) text.append(pieces[random.nextInt(pieces.length)]);
    return text.toString();
  }
}
