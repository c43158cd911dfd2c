package org.compiledplan.kernel.functions;

/**
 * A literal that every match of a regular expression contains: searching for it first is many times
 * faster than trying the expression at each position.
 */
final class Needle {
  /** Escapes that are zero-width or match one character: the text after them is literal. */
  private static final String SIMPLE_ESCAPES = "dDwWsShHvVbB";

  private final String regex;
  private final StringBuilder run = new StringBuilder();
  private String longest = "";
  private int at;

  private Needle(String regex) {
    this.regex = regex;
  }

  /** Returns the longest such literal; null if none is recognized, also for unsupported syntax. */
  static String of(String regex) {
    Needle needle = new Needle(regex);
    return needle.read() && !needle.longest.isEmpty() ? needle.longest : null;
  }

  /** Parses the whole expression; false if it may match without the literal. */
  private boolean read() {
    int depth = 0;
    for (; at < regex.length(); at++) {
      char c = regex.charAt(at);
      if (Character.isSurrogate(c)) return false;
      if (c == '|' && depth == 0) return false;
      if (c == '(') {
        if (at + 1 < regex.length() && regex.charAt(at + 1) == '?') return false;
        end();
        depth++;
      } else if (c == ')') {
        if (--depth < 0) return false;
      } else if (c == '[') {
        end();
        if (!skipClass()) return false;
      } else if (c == '\\') {
        if (!escape(depth)) return false;
      } else if (depth == 0 && !plain(c)) {
        return false;
      }
    }
    end();
    return depth == 0;
  }

  /** Parses a character outside of groups and classes; false for an unterminated quantifier. */
  private boolean plain(char c) {
    if (c == '*' || c == '?' || c == '{') {
      // The preceding character is optional.
      if (run.length() > 0) run.setLength(run.length() - 1);
      end();
      if (c == '{') at = regex.indexOf('}', at);
      return at >= 0;
    }
    if (c == '+' || c == '.' || c == '^' || c == '$') end();
    else run.append(c);
    return true;
  }

  private boolean escape(int depth) {
    if (++at == regex.length()) return false;
    char escaped = regex.charAt(at);
    boolean letter = Character.isLetterOrDigit(escaped) || Character.isSurrogate(escaped);
    if (letter && SIMPLE_ESCAPES.indexOf(escaped) < 0) return false;
    if (depth > 0) return true;
    if (letter) end();
    else run.append(escaped);
    return true;
  }

  /** Skips a character class; false if it is nested or malformed. */
  private boolean skipClass() {
    if (++at < regex.length() && regex.charAt(at) == '^') at++;
    if (at < regex.length() && regex.charAt(at) == ']') return false;
    for (; at < regex.length(); at++) {
      char c = regex.charAt(at);
      if (c == ']') return true;
      if (c == '[' || regex.startsWith("&&", at)) return false;
      if (c == '\\' && (++at == regex.length() || regex.charAt(at) == 'Q')) return false;
    }
    return false;
  }

  private void end() {
    if (run.length() > longest.length()) longest = run.toString();
    run.setLength(0);
  }
}
