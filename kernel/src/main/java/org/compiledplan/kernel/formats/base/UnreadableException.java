package org.compiledplan.kernel.formats.base;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * A table, or a record or file of one, that cannot be read. The message ends with the position and
 * a remedy.
 */
public final class UnreadableException extends RuntimeException {
  private static final String FILE_REMEDY =
      "correct the file, or remove it from where the table is read";

  UnreadableException(String message, String where, String remedy) {
    super(
        DataException.oneLine(message) + "; at: " + where + "; try: " + remedy, null, true, false);
  }

  /** A file that is malformed as a whole: no single record can be set aside. */
  public static UnreadableException ofFile(String table, String uri, String reason) {
    String message = "a file of " + table + " cannot be read: " + reason;
    return new UnreadableException(message, path(uri), FILE_REMEDY);
  }

  /** A table that cannot be read. */
  public static UnreadableException ofTable(String reason, String where, String remedy) {
    return new UnreadableException(reason, where, remedy);
  }

  /** The path of a file in quotes, from its encoded URI; the whole URI if the file is not local. */
  static String path(String uri) {
    try {
      URI parsed = new URI(uri);
      boolean isLocal = parsed.getScheme() == null || parsed.getScheme().equals("file");
      return "'" + (isLocal ? parsed.getPath() : uri) + "'";
    } catch (URISyntaxException e) {
      return "'" + uri + "'";
    }
  }
}
