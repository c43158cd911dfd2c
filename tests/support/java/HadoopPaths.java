import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.util.HexFormat;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/**
 * Paths as Hadoop parses them, and the local files that it opens, with links resolved by the operating system.
 *
 * <p>A line of the input is a text, a line of the output scheme, authority, path and file, all in hexadecimal UTF-16; it
 * is empty for a text that Hadoop refuses.
 */
public final class HadoopPaths {
  private HadoopPaths() {}

  public static void main(String[] arguments) throws IOException {
    BufferedReader texts = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    RawLocalFileSystem files = new RawLocalFileSystem();
    for (String line = texts.readLine(); line != null; line = texts.readLine()) {
      out.println(parsed(text(line), files));
    }
    out.flush();
  }

  private static String parsed(String text, RawLocalFileSystem files) throws IOException {
    try {
      Path path = new Path(text);
      URI uri = path.toUri();
      return String.join(
          " ", hex(uri.getScheme()), hex(uri.getAuthority()), hex(uri.getPath()), hex(opened(path, files)));
    } catch (IllegalArgumentException refused) {
      return "";
    }
  }

  private static String opened(Path path, RawLocalFileSystem files) {
    try {
      return files.pathToFile(path).getCanonicalPath();
    } catch (IllegalArgumentException | IOException other) {
      return null;
    }
  }

  private static String hex(String text) {
    StringBuilder digits = new StringBuilder("=");
    for (char letter : text == null ? new char[0] : text.toCharArray()) {
      digits.append(HexFormat.of().toHexDigits(letter));
    }
    return digits.toString();
  }

  private static String text(String line) {
    StringBuilder text = new StringBuilder();
    for (int at = 1; at < line.length(); at += 4) {
      text.append((char) HexFormat.fromHexDigits(line, at, at + 4));
    }
    return text.toString();
  }
}
