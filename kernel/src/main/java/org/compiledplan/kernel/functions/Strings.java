package org.compiledplan.kernel.functions;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.IllegalFormatException;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import org.apache.commons.lang3.StringUtils;
import org.apache.spark.sql.Row;

/** Functions on strings; positions count code points from 1. */
final class Strings {
  private Strings() {}

  static void register() {
    Registry.plain(
        "PRINTF",
        a -> a[0] == null ? null : printed((String) a[0], a.length < 2 ? null : (Row) a[1]));
    Registry.plain("PRINT", a -> print(a[0], a[1]));
    Registry.strict(
        "SUBSTRING",
        a -> substring((String) a[0], (Integer) a[1], a.length > 2 ? (Integer) a[2] : null));
    Registry.strict("REPLACE", a -> ((String) a[0]).replace((String) a[1], (String) a[2]));
    Registry.strict("LPAD", a -> pad((String) a[0], (Integer) a[1], (String) a[2], true));
    Registry.strict("RPAD", a -> pad((String) a[0], (Integer) a[1], (String) a[2], false));
    Registry.strict("LOCATE", a -> locate((String) a[0], (String) a[1], (Integer) a[2]));
    Registry.strict("INSTR", Strings::instr);
    Registry.strict("OVERLAY", Strings::overlay);
    Registry.strict("SPLIT_INDEX", Strings::splitIndex);
    Registry.strict("INITCAP", a -> initcap((String) a[0]));
    Registry.strict("ASCII", a -> ascii((String) a[0]));
    Registry.strict("CHR", a -> chr(((Number) a[0]).longValue()));
    Registry.plain("TRANSLATE", a -> translate((String) a[0], (String) a[1], (String) a[2]));
    Registry.strict(
        "FROM_BASE64",
        a -> Base64.getDecoder().decode(((String) a[0]).getBytes(StandardCharsets.UTF_8)));
    Registry.strict("URL_ENCODE", a -> URLEncoder.encode((String) a[0], StandardCharsets.UTF_8));
    Registry.strict("URL_DECODE", a -> urlDecode((String) a[0]));
    Registry.strict("ENCODE", a -> ((String) a[0]).getBytes(Charset.forName((String) a[1])));
    Registry.strict("DECODE", a -> new String((byte[]) a[0], Charset.forName((String) a[1])));
    Registry.strict("PARSE_URL", Strings::parseUrl);
    Registry.strict("INET_ATON", a -> inetAton((String) a[0]));
    Registry.strict("INET_NTOA", a -> inetNtoa(((Number) a[0]).longValue()));
    Registry.strict("IS_ALPHA", a -> all((String) a[0], Character::isLetter));
    Registry.strict("IS_DIGIT", a -> all((String) a[0], Character::isDigit));
    Registry.strict("IS_DECIMAL", a -> isNumber((String) a[0]));
  }

  /** Prints a text and a value; true, so that a column can depend on it. */
  private static boolean print(Object text, Object value) {
    System.out.println(String.valueOf(text) + value);
    return true;
  }

  /**
   * Returns true if Java's own parsers accept the number, as in Flink: digits of any script, or a
   * floating-point literal.
   */
  private static boolean isNumber(String text) {
    try {
      Long.parseLong(text);
      return true;
    } catch (NumberFormatException notWhole) {
      try {
        Double.parseDouble(text);
        return true;
      } catch (NumberFormatException notAtAll) {
        return false;
      }
    }
  }

  private static boolean all(String text, IntPredicate test) {
    return !text.isEmpty() && text.chars().allMatch(test);
  }

  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Code points from `from` (0-based) to `to` (exclusive). */
  static String slice(String text, int from, int to) {
    int start = text.offsetByCodePoints(0, from);
    return text.substring(start, text.offsetByCodePoints(start, to - from));
  }

  private static String substring(String text, int start, Integer count) {
    int size = length(text);
    if (count != null && count < 0) return null;
    int from = start > 0 ? start - 1 : start < 0 ? size + start : 0;
    if (from >= size || from < 0) return "";
    long to = count == null ? size : Math.min((long) from + count, size);
    return slice(text, from, (int) to);
  }

  private static String pad(String text, int size, String with, boolean before) {
    if (size < 0 || with.isEmpty()) return null;
    if (size <= text.length()) return text.substring(0, size);
    return before ? StringUtils.leftPad(text, size, with) : StringUtils.rightPad(text, size, with);
  }

  /** Position at or after {@code start}, 0 if there is none; an empty part is always at 1. */
  private static int locate(String part, String text, int start) {
    if (part.isEmpty()) return 1;
    if (start > length(text)) return 0;
    int at = text.indexOf(part, text.offsetByCodePoints(0, Math.max(start, 1) - 1));
    return at < 0 ? 0 : length(text.substring(0, at)) + 1;
  }

  private static Object instr(Object[] a) {
    int nth = a.length > 3 ? (Integer) a[3] : 1;
    if (nth < 1) {
      throw new IllegalArgumentException("the occurrence must be positive, it is " + nth);
    }
    String text = (String) a[0];
    String part = (String) a[1];
    int start = (Integer) a[2];
    if (start >= 0) return start == 0 ? 0 : occurrence(text, part, start, nth);
    // From the end, with overlapping occurrences: equivalent to a forward search in the reversed
    // texts.
    int at = occurrence(reverse(text), reverse(part), -start, nth);
    return at == 0 ? 0 : length(text) + 2 - at - length(part);
  }

  private static int occurrence(String text, String part, int start, int nth) {
    int at = locate(part, text, start);
    for (int i = 1; i < nth && at > 0; i++) at = locate(part, text, at + 1);
    return at;
  }

  private static String reverse(String text) {
    return new StringBuilder(text).reverse().toString();
  }

  private static Object overlay(Object[] a) {
    String text = (String) a[0];
    String with = (String) a[1];
    int start = (Integer) a[2];
    int count = a.length > 3 ? (Integer) a[3] : with.length();
    if (start <= 0 || start > text.length()) return text;
    StringBuilder result = new StringBuilder(text.substring(0, start - 1)).append(with);
    if (count > 0 && start + count <= text.length()) {
      result.append(text.substring(start - 1 + count));
    }
    return result.toString();
  }

  private static Object splitIndex(Object[] a) {
    String text = (String) a[0];
    int index = (Integer) a[2];
    if (index < 0 || text.isEmpty()) return null;
    if (a[1] instanceof Number code && (code.intValue() < 1 || code.intValue() > 255)) return null;
    String separator =
        a[1] instanceof Number code ? String.valueOf((char) code.intValue()) : (String) a[1];
    // Without a separator the text is split into words.
    String[] parts = separator.isEmpty() ? text.trim().split("\\s+") : split(text, separator);
    return index < parts.length ? parts[index] : null;
  }

  /** All parts between the separators, including empty ones; the separator is not empty. */
  static String[] split(String text, String separator) {
    return StringUtils.splitByWholeSeparatorPreserveAllTokens(text, separator);
  }

  /** Only ASCII letters and digits belong to words. */
  private static String initcap(String text) {
    StringBuilder result = new StringBuilder(text.length());
    boolean inside = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = c < 128 && Character.isLetterOrDigit(c);
      result.append(!letter ? c : inside ? Character.toLowerCase(c) : Character.toUpperCase(c));
      inside = letter;
    }
    return result.toString();
  }

  private static String chr(long code) {
    return code < 0 ? "" : String.valueOf((char) (code & 0xFF));
  }

  private static int ascii(String text) {
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    return raw.length == 0 ? 0 : raw[0];
  }

  private static String translate(String text, String from, String to) {
    if (text == null || from == null) return text;
    Map<Integer, Integer> mapping = new HashMap<>();
    int[] targets = to == null ? new int[0] : to.codePoints().toArray();
    int[] sources = from.codePoints().toArray();
    for (int i = 0; i < sources.length; i++) {
      mapping.putIfAbsent(sources[i], i < targets.length ? targets[i] : -1);
    }
    StringBuilder result = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              int target = mapping.getOrDefault(c, c);
              if (target >= 0) result.appendCodePoint(target);
            });
    return result.toString();
  }

  private static String urlDecode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static Object parseUrl(Object[] a) {
    URL url;
    try {
      url = new URL((String) a[0]);
    } catch (MalformedURLException e) {
      return null;
    }
    String query = url.getQuery();
    String part = (String) a[1];
    if (a.length > 2) return part.equals("QUERY") ? parameter(query, (String) a[2]) : null;
    return switch (part) {
      case "HOST" -> url.getHost();
      case "PATH" -> url.getPath();
      case "QUERY" -> query;
      case "REF" -> url.getRef();
      case "PROTOCOL" -> url.getProtocol();
      case "FILE" -> url.getFile();
      case "AUTHORITY" -> url.getAuthority();
      case "USERINFO" -> url.getUserInfo();
      default -> null;
    };
  }

  private static String parameter(String query, String name) {
    for (String pair : query == null ? new String[0] : query.split("&")) {
      if (pair.startsWith(name + "=")) return pair.substring(name.length() + 1);
    }
    return null;
  }

  private static Long inetAton(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length > 4) return null;
    long result = 0;
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].isEmpty()
          || parts[i].length() > 10
          || !parts[i].chars().allMatch(c -> c >= '0' && c <= '9')) {
        return null;
      }
      long value = Long.parseLong(parts[i]);
      boolean last = i == parts.length - 1;
      int room = last ? 4 - i : 1;
      if (value >= 1L << (8 * room)) return null;
      result = (result << (8 * room)) | value;
    }
    return result;
  }

  private static String inetNtoa(long value) {
    if (value < 0 || value > 0xFFFFFFFFL) return null;
    return (value >> 24)
        + "."
        + (value >> 16 & 255)
        + "."
        + (value >> 8 & 255)
        + "."
        + (value & 255);
  }

  /** Formats values; null if the format does not fit them, as in Flink. */
  private static String printed(String format, Row values) {
    Object[] arguments = new Object[values == null ? 0 : values.size()];
    for (int i = 0; i < arguments.length; i++) arguments[i] = values.get(i);
    try {
      return String.format(Locale.US, format, arguments);
    } catch (IllegalFormatException e) {
      return null;
    }
  }
}
