package org.compiledplan.kernel.formats.csv;

import java.util.Map;

/** Options shared by reading and writing CSV; names are without the format's prefix. */
final class CsvOptions {
  private CsvOptions() {}

  static boolean lenient(Map<String, String> options) {
    return Boolean.parseBoolean(options.get("ignore-parse-errors"));
  }

  static char separator(Map<String, String> options) {
    return options.getOrDefault("field-delimiter", ",").charAt(0);
  }

  static int quote(Map<String, String> options) {
    boolean off = Boolean.parseBoolean(options.get("disable-quote-character"));
    return off ? CsvLines.NONE : options.getOrDefault("quote-character", "\"").charAt(0);
  }

  static int escape(Map<String, String> options) {
    String escape = options.getOrDefault("escape-character", "");
    return escape.isEmpty() ? CsvLines.NONE : escape.charAt(0);
  }
}
