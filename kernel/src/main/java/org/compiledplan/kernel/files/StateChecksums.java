package org.compiledplan.kernel.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.compiledplan.kernel.values.JsonText;

/**
 * The checksum files that Spark writes beside files of state, with the name of the file added: two
 * files that have changed places have right checksums, and wrong names. Spark ignores the name.
 */
final class StateChecksums {
  private static final String SUFFIX = ".crc";
  private static final String STATE = "/state/";
  private static final String FILE = "file";

  private StateChecksums() {}

  /** Returns true for the checksum file of a file of state. */
  static boolean contains(Path path) {
    String name = path.getName();
    return path.toString().contains(STATE)
        && (name.endsWith(".changelog" + SUFFIX) || name.endsWith(".zip" + SUFFIX));
  }

  /** Returns the content of a checksum file with the name of the file. */
  static byte[] named(byte[] content, Path path) {
    JsonNode checksum = parsed(content);
    if (!(checksum instanceof ObjectNode fields)) return content;
    return fields.put(FILE, name(file(path))).toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Opens a checksum file.
   *
   * @throws DamagedFileException it is missing, unreadable, or the checksum of another file
   */
  static FSDataInputStream open(CheckpointFileManager files, Path path) {
    Path file = file(path);
    byte[] content;
    try (FSDataInputStream stream = files.open(path)) {
      content = stream.readAllBytes();
    } catch (FileNotFoundException error) {
      if (!files.exists(file)) return files.open(path);
      // A process may end between a snapshot and its checksum: Spark then uses an older snapshot.
      throw new DamagedFileException(file, "its checksum file is missing");
    } catch (IOException error) {
      throw new DamagedFileException(path, error.getMessage());
    }
    JsonNode checksum = parsed(content);
    if (checksum == null || !checksum.path("value").isNumber()) {
      throw new DamagedFileException(path, "it is no checksum file");
    }
    String owner = checksum.path(FILE).asText(name(file));
    if (!owner.equals(name(file))) {
      throw new DamagedFileException(file, "it has the checksum of " + owner);
    }
    return MemoryFile.open(content);
  }

  private static JsonNode parsed(byte[] content) {
    try {
      return JsonText.read(new String(content, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException error) {
      return null;
    }
  }

  private static Path file(Path path) {
    String name = path.getName();
    return new Path(path.getParent(), name.substring(0, name.length() - SUFFIX.length()));
  }

  /** Returns the name of a file of state inside its checkpoint, which may be copied or moved. */
  private static String name(Path file) {
    String text = file.toString();
    return text.substring(text.lastIndexOf(STATE) + 1);
  }
}
