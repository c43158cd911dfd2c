package org.compiledplan.kernel.flink.savepoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.shaded.guava33.com.google.common.hash.Hashing;

/**
 * Writes savepoints of Flink in a neutral form, see docs/reference/savepoint-form.md.
 *
 * <pre>ReadSavepoint [-jar JAR]... [-uid UID]... SAVEPOINT FOLDER [SAVEPOINT FOLDER]...</pre>
 *
 * <p>Each folder must be new or empty. For each savepoint a line of JSON on stdout has its folder,
 * and the error if there is one; the exit code is 1 if any failed.
 */
public final class ReadSavepoint {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ReadSavepoint() {}

  /** Runs the command. */
  public static void main(String[] arguments) throws IOException {
    List<Path> jars = new ArrayList<>();
    int at = 0;
    for (; at + 1 < arguments.length && arguments[at].equals("-jar"); at += 2) {
      jars.add(Path.of(arguments[at + 1]));
    }
    Map<String, String> uids = new HashMap<>();
    for (; at + 1 < arguments.length && arguments[at].equals("-uid"); at += 2) {
      String id = Hashing.murmur3_128(0).hashString(arguments[at + 1], UTF_8).toString();
      uids.put(id, arguments[at + 1]);
    }
    Trust trust = new Trust(jars);
    trust.install();
    Thread.currentThread().setContextClassLoader(trust);
    boolean failed = false;
    for (; at + 1 < arguments.length; at += 2) {
      ObjectNode result = JSON.createObjectNode();
      result.put("folder", arguments[at + 1]);
      Refusal refusal = read(Path.of(arguments[at]), Path.of(arguments[at + 1]), trust, uids);
      if (refusal != null) {
        failed = true;
        ObjectNode error = result.putObject("error");
        error.put("message", refusal.getMessage());
        error.put("where", refusal.where());
        error.put("remedy", refusal.remedy());
      }
      System.out.println(JSON.writeValueAsString(result));
    }
    System.exit(failed ? 1 : 0);
  }

  /** Reads a savepoint; on failure removes the files it wrote and returns the reason. */
  private static Refusal read(Path path, Path folder, Trust trust, Map<String, String> uids) {
    try {
      Files.createDirectories(folder);
      try (Stream<Path> present = Files.list(folder)) {
        if (present.findAny().isPresent()) {
          throw new FileAlreadyExistsException(folder.toString());
        }
      }
    } catch (IOException error) {
      return new Refusal(
          "cannot write into the folder: " + error,
          Savepoint.quoted(folder),
          "name a folder that is new or empty");
    }
    String where = Savepoint.quoted(path.toAbsolutePath());
    trust.takeRefused();
    try {
      new Extraction(Savepoint.open(path.toAbsolutePath(), trust), folder, trust, uids).run();
      return null;
    } catch (Refusal refusal) {
      Extraction.remove(folder);
      return refusal.at(where);
    } catch (Throwable error) {
      // Includes errors of the JVM: a broken length may ask for more memory than there is.
      Extraction.remove(folder);
      return Extraction.refusal(error, where, trust);
    }
  }
}
