package org.compiledplan.kernel.values;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Strings of bytes that may not be UTF-8, which the format raw leaves in a text. Each such byte is
 * a lone surrogate, as in Python's `surrogateescape`, so that different bytes stay different.
 */
public final class Texts {
  private static final char REPLACEMENT = '\uFFFD';

  /** The surrogate of the byte 0. */
  private static final char ESCAPED = '\uDC00';

  private Texts() {}

  public static String of(byte[] bytes, int from, int length) {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    return text.indexOf(REPLACEMENT) < 0 ? text : escaped(ByteBuffer.wrap(bytes, from, length));
  }

  public static byte[] bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (byte letter : bytes) {
      // A lone surrogate becomes a question mark.
      if (letter == '?') return isEscaped(text) ? unescaped(text, bytes) : bytes;
    }
    return bytes;
  }

  private static String escaped(ByteBuffer bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer text = CharBuffer.allocate(bytes.remaining());
    while (true) {
      CoderResult result = decoder.decode(bytes, text, true);
      if (!result.isError()) return text.flip().toString();
      for (int i = 0; i < result.length(); i++) text.put((char) (ESCAPED + (bytes.get() & 0xFF)));
    }
  }

  private static boolean isEscape(String text, int at) {
    char letter = text.charAt(at);
    if (letter < ESCAPED + 0x80 || letter > ESCAPED + 0xFF) return false;
    return at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
  }

  private static boolean isEscaped(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isEscape(text, i)) return true;
    }
    return false;
  }

  /** The bytes of a text, whose escapes are question marks so far. */
  private static byte[] unescaped(String text, byte[] bytes) {
    int at = 0;
    for (int i = 0; i < text.length(); i++) {
      char letter = text.charAt(i);
      if (isEscape(text, i)) bytes[at] = (byte) (letter - ESCAPED);
      if (Character.isHighSurrogate(letter)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        at += 4;
        i++;
      } else {
        at += letter < 0x80 || Character.isSurrogate(letter) ? 1 : letter < 0x800 ? 2 : 3;
      }
    }
    return bytes;
  }
}
