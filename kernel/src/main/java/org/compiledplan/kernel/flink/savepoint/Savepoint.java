package org.compiledplan.kernel.flink.savepoint;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.filesystem.RelativeFileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;

/** The metadata of a savepoint or checkpoint, and access to the files that it names. */
final class Savepoint {
  static final String METADATA = "_metadata";
  private static final Pattern CHECKPOINT = Pattern.compile("chk-[0-9]+");
  private static final Pattern SHARED = Pattern.compile("shared|taskowned|chk-[0-9]+");
  private static final String COPY =
      "copy the whole folder of the job, with `shared` and `taskowned` beside the checkpoint";

  private final Path folder;
  private final Path root;
  private final CheckpointMetadata metadata;

  private Savepoint(Path folder, Path root, CheckpointMetadata metadata) {
    this.folder = folder;
    this.root = root;
    this.metadata = metadata;
  }

  /** Reads the metadata of a folder or of a file in it. */
  static Savepoint open(Path path, Trust trust) throws IOException {
    Path file = Files.isDirectory(path) ? path.resolve(METADATA) : path;
    if (!Files.isRegularFile(file)) {
      throw new Refusal(
          "there is no savepoint: the file " + METADATA + " is missing",
          quoted(path),
          "name the folder of a savepoint, or the folder chk-N of a retained checkpoint");
    }
    Path folder = file.toRealPath().getParent();
    // An incremental checkpoint shares files with others of its job.
    boolean isCheckpoint = CHECKPOINT.matcher(folder.getFileName().toString()).matches();
    Path root = isCheckpoint ? folder.getParent() : folder;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      CheckpointMetadata metadata =
          Checkpoints.loadCheckpointMetadata(in, trust, folder.toUri().toString());
      Savepoint savepoint = new Savepoint(folder, root, metadata);
      savepoint.check();
      return savepoint;
    }
  }

  Path folder() {
    return folder;
  }

  /** Returns true if the job stopped with it; Flink then commits the output of its sinks. */
  boolean stopped() {
    CheckpointProperties properties = metadata.getCheckpointProperties();
    return properties != null && properties.isSynchronous();
  }

  long checkpointId() {
    return metadata.getCheckpointId();
  }

  /** The time at which the metadata was written, in ms. */
  long time() throws IOException {
    return Files.getLastModifiedTime(folder.resolve(METADATA)).toMillis();
  }

  Collection<OperatorState> operators() {
    return metadata.getOperatorStates();
  }

  /** The form of the keyed state; empty if there is none. */
  Optional<String> format() {
    return operators().stream()
        .flatMap(operator -> operator.getStates().stream())
        .flatMap(subtask -> subtask.getManagedKeyedState().stream())
        .map(this::format)
        .findFirst();
  }

  private String format(KeyedStateHandle handle) {
    if (handle instanceof KeyGroupsSavepointStateHandle) {
      return "CANONICAL";
    }
    boolean isCheckpoint = !root.equals(folder);
    return handle instanceof IncrementalRemoteKeyedStateHandle && isCheckpoint
        ? "INCREMENTAL"
        : "NATIVE";
  }

  /** The content of a handle: bytes in the metadata, or a file inside the savepoint. */
  StreamStateHandle file(StreamStateHandle handle) throws Refusal {
    if (handle instanceof ByteStreamStateHandle) {
      return handle;
    }
    Path path;
    if (handle instanceof RelativeFileStateHandle relative) {
      path = folder.resolve(relative.getRelativePath());
    } else if (handle instanceof FileStateHandle absolute) {
      path = moved(absolute.getFilePath().toUri());
    } else {
      throw unsupported(handle);
    }
    try {
      Path real = path.toRealPath();
      if (!real.startsWith(root) || !Files.isRegularFile(real)) {
        throw new Refusal("the savepoint names a file outside its folder", quoted(path), COPY);
      }
      if (Files.size(real) != handle.getStateSize()) {
        throw new Refusal(
            "a file of the savepoint has %d bytes instead of %d"
                .formatted(Files.size(real), handle.getStateSize()),
            quoted(path),
            COPY);
      }
      return new LocalFile(real);
    } catch (Refusal refusal) {
      throw refusal;
    } catch (IOException error) {
      throw new Refusal("a file of the savepoint is missing", quoted(path), COPY);
    }
  }

  /** The place of a file that the metadata names absolutely, perhaps before the job was copied. */
  private Path moved(URI uri) throws Refusal {
    Path path = Path.of(uri.getPath()).normalize();
    int names = path.getNameCount();
    if (names > 1 && SHARED.matcher(path.getName(names - 2).toString()).matches()) {
      Path here = root.resolve(path.subpath(names - 2, names));
      if (Files.exists(here)) {
        return here;
      }
    }
    String scheme = uri.getScheme();
    if (scheme != null && !scheme.equals("file")) {
      throw new Refusal("the savepoint names a file on another system", quoted(uri), COPY);
    }
    if (!path.startsWith(root)) {
      throw new Refusal("the savepoint names a file outside its folder", quoted(path), COPY);
    }
    return path;
  }

  /** Refuses state that is not read, before anything is written. */
  private void check() throws Refusal {
    for (OperatorState operator : operators()) {
      for (OperatorSubtaskState subtask : operator.getStates()) {
        check(subtask, operator);
      }
    }
  }

  private void check(OperatorSubtaskState subtask, OperatorState operator) throws Refusal {
    String where = placeOf(operator);
    if (!subtask.getInputChannelState().isEmpty()
        || !subtask.getResultSubpartitionState().isEmpty()
        || !subtask.getUpstreamOutputBufferState().isEmpty()) {
      throw new Refusal(
          "the checkpoint is unaligned: it holds rows in flight between operators",
          where,
          "take a savepoint instead, which is always aligned");
    }
    for (KeyedStateHandle handle : subtask.getRawKeyedState()) {
      if (handle.getClass() != KeyGroupsStateHandle.class) {
        throw unsupported(handle).at(where);
      }
    }
    if (!subtask.getRawOperatorState().isEmpty()) {
      throw new Refusal(
          "the savepoint holds operator state in Flink's raw form",
          where,
          "start this operator without its state");
    }
    for (KeyedStateHandle handle : subtask.getManagedKeyedState()) {
      List<Class<?>> known =
          List.of(
              KeyGroupsStateHandle.class,
              KeyGroupsSavepointStateHandle.class,
              IncrementalRemoteKeyedStateHandle.class);
      if (!known.contains(handle.getClass())) {
        throw unsupported(handle).at(where);
      }
    }
  }

  /** An operator of the savepoint, in messages. */
  String placeOf(OperatorState operator) {
    return quoted(folder) + ", " + nameOf(operator);
  }

  static String quoted(Object path) {
    return "'" + path + "'";
  }

  /** An operator in messages: its name and uid if the metadata has them, else its id. */
  private static String nameOf(OperatorState operator) {
    String id = operator.getOperatorID().toHexString();
    return operator
        .getOperatorUid()
        .filter(uid -> !uid.isEmpty())
        .or(() -> operator.getOperatorName().filter(name -> !name.isEmpty()))
        .map(name -> "operator " + name + " (" + id + ")")
        .orElse("operator " + id);
  }

  static Refusal unsupported(StateObject handle) {
    return new Refusal(
        "state in the form " + handle.getClass().getSimpleName() + " is not supported",
        "",
        "take a savepoint in the canonical format: `flink savepoint --type canonical`");
  }
}
