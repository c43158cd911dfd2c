package org.compiledplan.kernel.values;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextsTest {
  private static String of(byte... bytes) {
    return Texts.of(bytes, 0, bytes.length);
  }

  @Test
  void textsAreThoseOfJava() {
    for (String text : new String[] {"", "?", "caf\u00e9?", "\ufffd", "\ud83d\ude00?", "\u6f22"}) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      assertEquals(text, of(bytes));
      assertArrayEquals(bytes, Texts.bytes(text));
    }
  }

  @Test
  void aLoneSurrogateThatIsNoByteIsAQuestionMark() {
    assertArrayEquals("a?".getBytes(StandardCharsets.UTF_8), Texts.bytes("a\ud83d"));
  }

  @Test
  void otherBytesStayDifferent() {
    assertNotEquals(of((byte) 0xE8), of((byte) 0xE9));
    assertNotEquals(of((byte) 0xE8), "\ufffd");
  }

  @Test
  void anyBytesAreWrittenAsTheyWereRead() {
    Random random = new Random(1);
    byte[] letters = {'a', '?', (byte) 0xC3, (byte) 0xA9, (byte) 0xF0, (byte) 0x9F, (byte) 0x98};
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(8)];
      if (i % 2 == 0) random.nextBytes(bytes);
      else for (int b = 0; b < bytes.length; b++) bytes[b] = letters[random.nextInt(7)];
      assertArrayEquals(bytes, Texts.bytes(of(bytes)));
    }
  }
}
