package org.compiledplan.kernel.host.versions;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.compiledplan.kernel.files.FencedFiles;
import org.compiledplan.kernel.files.MemoryFile;
import org.compiledplan.kernel.values.JsonText;

/**
 * Checkpoint files of a Spark before 4.2, which numbers the sources of a query, in the format of
 * later versions, which name them: entries of the log of offsets, and the folders of sources.
 */
public final class NamedSourceFiles implements CheckpointFileManager {
  private static final String OFFSETS = "offsets";
  private static final String SOURCES = "sources";
  private static final String NUMBERED = "v1";
  private static final String NAMED = "v2";
  private static final String NOWHERE = "-";
  private static final String BY_NAME = "spark.sql.streaming.queryEvolution.enableSourceEvolution";

  private final CheckpointFileManager files;
  private final Path folder;

  /** Null until the query that writes the files has been looked up. */
  private StreamExecution query;

  /** Creates the manager of a folder; Spark calls it. */
  public NamedSourceFiles(Path path, Configuration conf) {
    files = new FencedFiles(path, conf);
    folder = path;
  }

  // ---- sources

  /** The path under the name of the source. */
  private Path named(Path path) {
    Path sources = folder.getParent();
    if (sources == null || !sources.getName().equals(SOURCES)) return path;
    Optional<StreamExecution> owner = query(sources.getParent());
    if (owner.isEmpty()) return path;
    String name = SourceNaming41.byNumber(owner.get()).get(Integer.parseInt(folder.getName()));
    if (name.isEmpty()) return path;
    Path target = new Path(sources, name);
    return sameFile(path, folder) ? target : new Path(target, path.getName());
  }

  private static boolean sameFile(Path left, Path right) {
    return left.toUri().getPath().equals(right.toUri().getPath());
  }

  /** The active query of a checkpoint. */
  private synchronized Optional<StreamExecution> query(Path checkpoint) {
    if (query != null) return Optional.of(query);
    SparkSession session = (SparkSession) SparkSession.active();
    for (StreamExecution active : session.sharedState().activeStreamingQueries().values()) {
      if (sameFile(new Path(active.resolvedCheckpointRoot()), checkpoint)) query = active;
    }
    return Optional.ofNullable(query);
  }

  // ---- offsets

  private boolean hasOffsets() {
    return folder.getName().equals(OFFSETS);
  }

  /** The names of the query's sources in the order of their numbers; empty without a query. */
  private Optional<List<String>> names() {
    return query(folder.getParent()).map(SourceNaming41::byReading);
  }

  /**
   * An entry with numbers, from one with names.
   *
   * @param names the sources in the order of their numbers; empty for the order of the entry, for
   *     readers of state, which have no query
   */
  static String numbered(String entry, Optional<List<String>> names) {
    List<String> lines = entry.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(NAMED)) return entry;
    Map<String, String> offsets = new LinkedHashMap<>();
    for (String line : lines.subList(2, lines.size())) {
      int end = line.indexOf(':');
      offsets.put(line.substring(0, end), line.substring(end + 1));
    }
    List<String> result = new ArrayList<>(List.of(NUMBERED, lines.get(1)));
    for (String name : names.orElseGet(() -> List.copyOf(offsets.keySet()))) {
      result.add(offsets.getOrDefault(name, NOWHERE));
    }
    return String.join("\n", result);
  }

  /** An entry with names, from one with numbers. */
  static String named(String entry, List<String> names) {
    List<String> lines = entry.lines().toList();
    ObjectNode about = (ObjectNode) JsonText.read(lines.get(1));
    about.withObject("/conf").put(BY_NAME, "true");
    about.putObject("sourceMetadataInfo");
    Map<String, String> offsets = new LinkedHashMap<>();
    for (int at = 0; at < names.size(); at++) offsets.put(names.get(at), lines.get(2 + at));
    List<String> result = new ArrayList<>(List.of(NAMED, about.toString()));
    offsets.forEach((name, offset) -> result.add(name + ":" + offset));
    return String.join("\n", result);
  }

  @Override
  public FSDataInputStream open(Path path) {
    if (!hasOffsets()) return files.open(named(path));
    try (FSDataInputStream file = files.open(path)) {
      String entry = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return MemoryFile.open(numbered(entry, names()).getBytes(StandardCharsets.UTF_8));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    CancellableFSDataOutputStream file = files.createAtomic(named(path), overwrite);
    if (!hasOffsets()) return file;
    return names().<CancellableFSDataOutputStream>map(names -> new Entry(file, names)).orElse(file);
  }

  /** An entry of the log of offsets; it is written when it is closed. */
  private static final class Entry extends CancellableFSDataOutputStream {
    private final CancellableFSDataOutputStream file;

    Entry(CancellableFSDataOutputStream file, List<String> names) {
      super(new Naming(file, names));
      this.file = file;
    }

    @Override
    public void cancel() {
      file.cancel();
    }
  }

  private static final class Naming extends ByteArrayOutputStream {
    private final OutputStream file;
    private final List<String> names;

    Naming(OutputStream file, List<String> names) {
      this.file = file;
      this.names = names;
    }

    @Override
    public void close() throws IOException {
      file.write(named(toString(StandardCharsets.UTF_8), names).getBytes(StandardCharsets.UTF_8));
      file.close();
    }
  }

  // ---- other calls

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return files.list(named(path), filter);
  }

  @Override
  public void mkdirs(Path path) {
    files.mkdirs(named(path));
  }

  @Override
  public boolean exists(Path path) {
    return files.exists(named(path));
  }

  @Override
  public void delete(Path path) {
    files.delete(named(path));
  }

  @Override
  public boolean isLocal() {
    return files.isLocal();
  }

  @Override
  public Path createCheckpointDirectory() {
    return files.createCheckpointDirectory();
  }

  @Override
  public void close() {
    files.close();
  }
}
