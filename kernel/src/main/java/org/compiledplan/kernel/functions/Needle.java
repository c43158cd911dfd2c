package org.compiledplan.kernel.functions;

/**
 * A text without which nothing of a regular expression is found: searching it is many times quicker
 * than trying the expression at each place.
 */
final class Needle {
  /** Zero-width, or one character: what follows them is as it stands. */
  private static final String SIMPLE_ESCAPES = "dDwWsShHvVbB";

  private final String regex;
  private final StringBuilder run = new StringBuilder();
  private String longest = "";
  private int at;

  private Needle(String regex) {
    this.regex = regex;
  }

  /** The longest such text; null where none is seen, as in what this does not take apart. */
  static String of(String regex) {
    Needle needle = new Needle(regex);
    return needle.read() && !needle.longest.isEmpty() ? needle.longest : null;
  }

  /** Reads the expression to its end; false where it may match without what was found. */
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

  /** Takes a character outside of groups and classes; false for a count without an end. */
  private boolean plain(char c) {
    if (c == '*' || c == '?' || c == '{') {
      // What is in front of it may be missing.
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

  /**
   * Goes to the end of a class of characters; false where it holds another or is something else.
   */
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
