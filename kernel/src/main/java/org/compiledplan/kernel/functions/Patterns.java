package org.compiledplan.kernel.functions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** LIKE, SIMILAR TO and regular expressions. */
final class Patterns {
  private static final Map<String, String> CLASSES =
      Map.of(
          "[:ALPHA:]", "\\p{Alpha}",
          "[:alpha:]", "\\p{Alpha}",
          "[:UPPER:]", "\\p{Upper}",
          "[:upper:]", "\\p{Upper}",
          "[:LOWER:]", "\\p{Lower}",
          "[:lower:]", "\\p{Lower}",
          "[:DIGIT:]", "\\d",
          "[:digit:]", "\\d");
  private static final Map<String, String> MORE_CLASSES =
      Map.of(
          "[:SPACE:]", " ",
          "[:space:]", " ",
          "[:WHITESPACE:]", "\\s",
          "[:whitespace:]", "\\s",
          "[:ALNUM:]", "\\p{Alnum}",
          "[:alnum:]", "\\p{Alnum}");

  private Patterns() {}

  static void register() {
    Registry.strictWith("LIKE", options -> matching(Patterns::like));
    Registry.strictWith("SIMILAR_TO", options -> matching(Patterns::similar));
    Registry.strictWith("REGEXP", options -> applied(m -> m.find(), false, false));
    Registry.strictWith(
        "REGEXP_COUNT", options -> applied(m -> (int) m.results().count(), null, true));
    Registry.strictWith(
        "REGEXP_INSTR", options -> applied(m -> m.find() ? m.start() + 1 : 0, null, true));
    Registry.strictWith(
        "REGEXP_SUBSTR", options -> applied(m -> m.find() ? m.group() : null, null, true));
    Registry.strictWith(
        "REGEXP_REPLACE",
        options -> {
          Cache cache = new Cache();
          return a -> {
            Matcher m = cache.matcher((String) a[1], (String) a[0]);
            return m == null ? null : m.replaceAll(Matcher.quoteReplacement((String) a[2]));
          };
        });
    Registry.strictWith(
        "REGEXP_EXTRACT",
        options -> {
          Cache cache = new Cache();
          return a -> {
            Matcher m = cache.matcher((String) a[1], (String) a[0]);
            int group = a.length > 2 ? (Integer) a[2] : 0;
            if (m == null) return null;
            return m.find() && group >= 0 && group <= m.groupCount() ? m.group(group) : null;
          };
        });
    Registry.strictWith(
        "REGEXP_EXTRACT_ALL",
        options -> {
          Cache cache = new Cache();
          return a ->
              extractAll(cache.of((String) a[1]), (String) a[0], a.length > 2 ? (Integer) a[2] : 1);
        });
    Registry.strict("STR_TO_MAP", a -> strToMap((String) a[0], (String) a[1], (String) a[2]));
    Registry.strict("SPLIT", a -> splitAll((String) a[0], (String) a[1]));
  }

  /** Caches the last compiled pattern: a pattern is nearly always a constant. */
  private static final class Cache {
    /** Never matches, and fails without a scan. */
    private static final Pattern NOTHING = Pattern.compile("\\A(?!)");

    private String text;
    private Pattern pattern;
    private String needle;

    /** The compiled pattern; null for a malformed regular expression. */
    Pattern of(String regex) {
      if (!regex.equals(text)) {
        text = regex;
        try {
          pattern = Pattern.compile(regex);
          needle = Needle.of(regex);
        } catch (PatternSyntaxException e) {
          pattern = null;
        }
      }
      return pattern;
    }

    /** A matcher of the expression on a text; null for a malformed regular expression. */
    Matcher matcher(String regex, String in) {
      Pattern pattern = of(regex);
      if (pattern == null) return null;
      return (needle == null || in.contains(needle) ? pattern : NOTHING).matcher(in);
    }
  }

  private static Body applied(Function<Matcher, Object> read, Object fallback, boolean empty) {
    Cache cache = new Cache();
    return a -> {
      String regex = (String) a[1];
      Matcher m = regex.isEmpty() && !empty ? null : cache.matcher(regex, (String) a[0]);
      return m == null ? fallback : read.apply(m);
    };
  }

  /** Translates a pattern and its escape character (0: none) into a regular expression. */
  private interface Translation {
    String regex(String pattern, char escape);
  }

  private static Body matching(Translation translation) {
    String[] last = new String[2];
    Pattern[] compiled = new Pattern[1];
    return a -> {
      String pattern = (String) a[1];
      String escape = a.length > 2 ? (String) a[2] : "";
      if (!pattern.equals(last[0]) || !escape.equals(last[1])) {
        if (escape.length() > 1) {
          throw new IllegalArgumentException("the escape must be one character");
        }
        compiled[0] =
            Pattern.compile(translation.regex(pattern, escape.isEmpty() ? 0 : escape.charAt(0)));
        last[0] = pattern;
        last[1] = escape;
      }
      return compiled[0].matcher((String) a[0]).matches();
    };
  }

  private static String like(String pattern, char escape) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == escape && escape != 0) {
        i = escaped(pattern, i, escape);
        regex.append(Pattern.quote(String.valueOf(pattern.charAt(i))));
      } else if (c == '_') {
        regex.append('.');
      } else if (c == '%') {
        regex.append("(?s:.*)");
      } else if ("\\[]()|^-+*?{}$.".indexOf(c) >= 0) {
        regex.append('\\').append(c);
      } else {
        regex.append(c);
      }
    }
    return regex.toString();
  }

  private static int escaped(String pattern, int at, char escape) {
    if (at + 1 >= pattern.length()
        || "_%".indexOf(pattern.charAt(at + 1)) < 0 && pattern.charAt(at + 1) != escape) {
      throw new IllegalArgumentException(
          "the escape character must stand before _, % or itself: " + pattern);
    }
    return at + 1;
  }

  private static String similar(String pattern, char escape) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == escape && escape != 0) {
        if (++i >= pattern.length()) {
          throw new IllegalArgumentException("the escape character ends the pattern: " + pattern);
        }
        regex.append('\\').append(pattern.charAt(i));
      } else if (c == '_') {
        regex.append('.');
      } else if (c == '%') {
        regex.append("(?s:.*)");
      } else if (c == '[') {
        i = bracket(pattern, i, regex);
      } else {
        regex.append(c);
      }
    }
    return regex.toString();
  }

  /** Copies a bracket expression with its named classes; returns the index of its end. */
  private static int bracket(String pattern, int start, StringBuilder regex) {
    regex.append('[');
    for (int i = start + 1; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == ']') {
        regex.append(']');
        return i;
      }
      int end = c == '[' ? pattern.indexOf(":]", i) : -1;
      if (end > 0) {
        String name = pattern.substring(i, end + 2);
        String known = CLASSES.getOrDefault(name, MORE_CLASSES.get(name));
        if (known == null) throw new IllegalArgumentException("no character class " + name);
        regex.append(known);
        i = end + 1;
      } else {
        regex.append(c);
      }
    }
    throw new IllegalArgumentException("a bracket is not closed: " + pattern);
  }

  private static Object extractAll(Pattern pattern, String text, int group) {
    if (pattern == null || group < 0) return null;
    Matcher m = pattern.matcher(text);
    if (group > m.groupCount()) return null;
    List<String> all = new ArrayList<>();
    while (m.find()) all.add(m.group(group));
    return all.toArray(new String[0]);
  }

  private static Object strToMap(String text, String pairs, String values) {
    java.util.LinkedHashMap<String, String> map = new java.util.LinkedHashMap<>();
    if (text.isEmpty()) return map;
    for (String pair : text.split(pairs)) {
      String[] sides = pair.split(values, 2);
      map.put(sides[0], sides.length > 1 ? sides[1] : null);
    }
    return map;
  }

  private static Object splitAll(String text, String separator) {
    if (text.isEmpty()) return new String[0];
    if (separator.isEmpty()) {
      String[] characters = new String[text.length()];
      for (int i = 0; i < characters.length; i++) characters[i] = String.valueOf(text.charAt(i));
      return characters;
    }
    return Strings.split(text, separator);
  }
}
