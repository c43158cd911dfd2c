package org.compiledplan.kernel.files;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Digests of the files from which Spark continues a query, recorded in its checkpoint as Spark
 * writes them; {@code plans/execution/state/checkpoint/digests.py} verifies them at a start.
 *
 * <p>The record follows each entry of the offset and commit log: at that moment it covers all that
 * the entry refers to. A process may end between the entry and the record, so a start accepts logs
 * that are one entry ahead.
 */
public final class Digests {
  private static final String RECORD = "compiled-plan/digests";
  private static final String VERSION = "v1";
  private static final int LENGTH = 32;
  private static final String COMPACT = ".compact";

  private static final Map<String, Digests> BY_ROOT = new ConcurrentHashMap<>();

  private final Path root;

  /** Each file's digests, separated by commas: of several, any one is right. */
  private final TreeMap<String, String> byName = new TreeMap<>();

  private Digests(Path root) {
    this.root = root;
  }

  /**
   * Records digests in a checkpoint from now on.
   *
   * @param root URI of the checkpoint
   * @param known lines {@code digest name} of the files that count now
   */
  public static void begin(String root, String known) {
    Digests digests = new Digests(new Path(root));
    known
        .lines()
        .map(line -> line.split(" ", 2))
        .forEach(parts -> digests.byName.put(parts[1], parts[0]));
    BY_ROOT.put(place(digests.root), digests);
  }

  /** Returns the digests of the checkpoint that a file belongs to; null if none are recorded. */
  static Digests of(Path file) {
    String place = place(file);
    for (Map.Entry<String, Digests> entry : BY_ROOT.entrySet()) {
      String root = entry.getKey() + "/";
      if (place.startsWith(root) && counts(place.substring(root.length()))) return entry.getValue();
    }
    return null;
  }

  private static String place(Path path) {
    URI uri = path.toUri();
    return (uri.getAuthority() == null ? "" : uri.getAuthority()) + uri.getPath();
  }

  private static boolean counts(String name) {
    return name.equals("metadata")
        || name.startsWith("offsets/")
        || name.startsWith("commits/")
        || name.startsWith("sources/")
        || (name.startsWith("state/")
            && (name.contains("/_metadata/") || name.contains("/_stateSchema/")));
  }

  static MessageDigest algorithm() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String text(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest()).substring(0, LENGTH);
  }

  /** Adds a file that has just been written, and writes the record after an entry of a log. */
  synchronized void add(Path file, MessageDigest digest, CheckpointFileManager files)
      throws IOException {
    String name = place(file).substring(place(root).length() + 1);
    String folder = name.substring(0, name.lastIndexOf('/') + 1);
    boolean isEntry = folder.equals("offsets/") || folder.equals("commits/");
    byName.put(name, text(digest));
    if (isEntry) forget(folder, number(name) - 1);
    else if (name.endsWith(COMPACT)) forget(folder, number(name));
    else if (folder.contains("/_metadata/")) forget(folder, number(name));
    if (isEntry) write(files);
  }

  /** Forgets the entries of a log before a number: a start does not read them. */
  private void forget(String folder, long first) {
    byName
        .subMap(folder, folder + Character.MAX_VALUE)
        .keySet()
        .removeIf(name -> number(name) < first);
  }

  private static long number(String name) {
    String text = name.substring(name.lastIndexOf('/') + 1).replace(COMPACT, "");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException error) {
      return Long.MAX_VALUE;
    }
  }

  private void write(CheckpointFileManager files) throws IOException {
    StringBuilder lines = new StringBuilder();
    byName.forEach((name, digest) -> lines.append(digest).append(' ').append(name).append('\n'));
    MessageDigest whole = algorithm();
    whole.update(lines.toString().getBytes(StandardCharsets.UTF_8));
    byte[] content = (VERSION + " " + text(whole) + "\n" + lines).getBytes(StandardCharsets.UTF_8);
    Path record = new Path(root, RECORD);
    if (files.isLocal()) {
      replace(Paths.get(record.toUri().getPath()), content);
      return;
    }
    var stream = files.createAtomic(record, true);
    try {
      stream.write(content);
    } catch (IOException | RuntimeException error) {
      stream.cancel();
      throw error;
    }
    stream.close();
  }

  /** Replaces a local file in one step; Hadoop deletes it before it renames another one. */
  private static void replace(java.nio.file.Path file, byte[] content) throws IOException {
    String name = file.getFileName().toString();
    var aside = file.resolveSibling("." + name + "." + UUID.randomUUID() + ".tmp");
    Files.createDirectories(file.getParent());
    Files.write(aside, content);
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
    Files.deleteIfExists(file.resolveSibling("." + name + ".crc"));
  }
}
