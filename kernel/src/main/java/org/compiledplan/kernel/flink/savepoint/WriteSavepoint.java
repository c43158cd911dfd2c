package org.compiledplan.kernel.flink.savepoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.shaded.guava33.com.google.common.hash.Hashing;

/**
 * Writes the neutral form as a savepoint of Flink in the canonical format, see
 * docs/reference/savepoint-form.md.
 *
 * <pre>WriteSavepoint FORM FOLDER</pre>
 *
 * <p>The folder must be new or empty. A line of JSON on stdout has the error if there is one; the
 * exit code is 1 if it failed, and nothing is left.
 */
public final class WriteSavepoint {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long CHECKPOINT = 1;
  private static final int BUFFER = 1 << 16;

  private final Path form;
  private final Path folder;
  private final Path scratch;
  private final CheckpointStreamFactory streams;

  private WriteSavepoint(Path form, Path folder, Path scratch) {
    this.form = form;
    this.folder = folder;
    this.scratch = scratch;
    var place = new org.apache.flink.core.fs.Path(folder.toUri());
    // The state is always in files of its own: the metadata stays small.
    streams =
        new FsCheckpointStreamFactory(LocalFileSystem.getSharedInstance(), place, place, 0, BUFFER);
  }

  /** Runs the command. */
  public static void main(String[] arguments) throws IOException {
    ObjectNode result = JSON.createObjectNode();
    Path folder = Path.of(arguments[1]).toAbsolutePath();
    Path scratch = Files.createTempDirectory("compiled-plan-groups-");
    try {
      Files.createDirectories(folder);
      new WriteSavepoint(Path.of(arguments[0]), folder, scratch).write();
    } catch (Throwable error) {
      Extraction.remove(folder);
      ObjectNode described = result.putObject("error");
      boolean refused = error instanceof Refusal;
      described.put(
          "message", refused ? error.getMessage() : "the savepoint cannot be written: " + error);
      described.put("where", refused ? ((Refusal) error).where() : Savepoint.quoted(folder));
      described.put("remedy", refused ? ((Refusal) error).remedy() : "");
    } finally {
      Extraction.remove(scratch);
      Files.delete(scratch);
    }
    System.out.println(JSON.writeValueAsString(result));
    System.exit(result.isEmpty() ? 0 : 1);
  }

  private void write() throws Exception {
    JsonNode head = JSON.readTree(form.resolve("savepoint.json").toFile());
    List<OperatorState> operators = new ArrayList<>();
    for (JsonNode operator : head.get("operators")) operators.add(operator(operator));
    CheckpointMetadata metadata = new CheckpointMetadata(CHECKPOINT, operators, List.of());
    // The last file: without it the folder is no savepoint.
    try (OutputStream out =
        new BufferedOutputStream(
            Files.newOutputStream(
                folder.resolve(Savepoint.METADATA), StandardOpenOption.CREATE_NEW))) {
      Checkpoints.storeCheckpointMetadata(metadata, out);
    }
  }

  private OperatorState operator(JsonNode described) throws Exception {
    String uid = described.get("uid").asText();
    String name = described.path("name").asText(uid);
    OperatorID id = new OperatorID(Hashing.murmur3_128(0).hashString(uid, UTF_8).asBytes());
    int maxParallelism = described.get("maxParallelism").asInt();
    OperatorState operator = new OperatorState(name, uid, id, 1, maxParallelism);
    OperatorSubtaskState.Builder subtask = OperatorSubtaskState.builder();
    if (!described.path("states").isEmpty()) {
      KeyedStateHandle keyed = keyed(described, uid, maxParallelism);
      if (keyed != null) subtask.setManagedKeyedState(keyed);
    }
    for (JsonNode list : described.path("lists")) subtask.setManagedOperatorState(list(list));
    operator.putState(0, subtask.build());
    if (described.hasNonNull("coordinator")) {
      byte[] bytes = described.get("coordinator").binaryValue();
      operator.setCoordinatorState(new ByteStreamStateHandle(uid + "-coordinator", bytes));
    }
    return operator;
  }

  private KeyedStateHandle keyed(JsonNode described, String uid, int maxParallelism)
      throws Exception {
    Path groups = scratch.resolve(uid.replaceAll("\\W", "_"));
    try (KeyedWriter writer = new KeyedWriter(described.get("states"), maxParallelism, groups)) {
      for (JsonNode file : described.get("files")) {
        try (BufferedReader lines = Files.newBufferedReader(form.resolve(file.asText()))) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            writer.add(JSON.readTree(line));
          }
        }
      }
      return writer.write(streams);
    }
  }

  /** A list of bytes, which Flink distributes over the subtasks. */
  private OperatorStateHandle list(JsonNode described) throws Exception {
    OperatorStateBackend backend =
        new DefaultOperatorStateBackendBuilder(
                WriteSavepoint.class.getClassLoader(),
                new ExecutionConfig(),
                false,
                List.of(),
                new CloseableRegistry())
            .build();
    ListState<byte[]> list =
        backend.getListState(
            new ListStateDescriptor<>(
                described.get("name").asText(), BytePrimitiveArraySerializer.INSTANCE));
    for (JsonNode subtask : described.get("elements")) {
      for (JsonNode element : subtask) list.add(Base64.getDecoder().decode(element.asText()));
    }
    CheckpointOptions options =
        CheckpointOptions.alignedNoTimeout(
            SavepointType.savepoint(SavepointFormatType.CANONICAL),
            CheckpointStorageLocationReference.getDefault());
    var future = backend.snapshot(CHECKPOINT, 0, streams, options);
    future.run();
    return future.get().getJobManagerOwnedSnapshot();
  }
}
