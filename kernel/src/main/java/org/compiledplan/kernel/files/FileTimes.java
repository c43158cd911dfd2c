package org.compiledplan.kernel.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Modification times of many files at once. Paths are URIs, as in the log of Spark's file source.
 */
public final class FileTimes {
  private FileTimes() {}

  /**
   * Looks files up; each folder is listed once.
   *
   * @param paths a JSON list of paths
   * @return JSON: time in ms since 1970 by path, without missing files
   */
  public static String of(String paths, Configuration conf) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode report = mapper.createObjectNode();
    Map<Path, Map<Path, Long>> folders = new HashMap<>();
    for (JsonNode element : mapper.readTree(paths)) {
      Path path = new Path(URI.create(element.asText()));
      Map<Path, Long> times = folders.get(path.getParent());
      if (times == null) {
        times = listed(path.getParent(), conf);
        folders.put(path.getParent(), times);
      }
      Long time = times.get(path);
      if (time != null) report.put(element.asText(), time);
    }
    return report.toString();
  }

  private static Map<Path, Long> listed(Path folder, Configuration conf) throws IOException {
    Map<Path, Long> times = new HashMap<>();
    try {
      for (FileStatus status : folder.getFileSystem(conf).listStatus(folder)) {
        if (status.isFile()) times.put(status.getPath(), status.getModificationTime());
      }
    } catch (FileNotFoundException gone) {
      return times;
    }
    return times;
  }

  /**
   * Lists all files of a folder, recursively, or the single file, without those that Spark's file
   * source ignores.
   *
   * @return JSON: time in ms since 1970 by path; empty if there is no such folder
   */
  public static String below(String root, Configuration conf) throws IOException {
    ObjectNode times = new ObjectMapper().createObjectNode();
    Path path = new Path(root);
    FileSystem files = path.getFileSystem(conf);
    if (files.exists(path)) collect(files, files.getFileStatus(path), times);
    return times.toString();
  }

  private static void collect(FileSystem files, FileStatus status, ObjectNode times)
      throws IOException {
    if (status.isFile()) {
      times.put(status.getPath().toUri().toString(), status.getModificationTime());
      return;
    }
    for (FileStatus inside : files.listStatus(status.getPath())) {
      if (!isPassedOver(inside.getPath().getName())) collect(files, inside, times);
    }
  }

  /** As in Spark's InMemoryFileIndex. */
  private static boolean isPassedOver(String name) {
    return name.startsWith(".")
        || name.endsWith("._COPYING_")
        || (name.startsWith("_") && !name.contains("="));
  }
}
