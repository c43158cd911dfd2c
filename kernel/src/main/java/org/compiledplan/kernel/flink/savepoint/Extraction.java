package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;

/** The conversion of one savepoint: a task for the lists of each operator and for each subtask. */
final class Extraction {
  private static final int VERSION = 1;
  private static final int THREADS = 2;
  private static final String HEAD = "savepoint.json";
  private static final String ENTRIES = "entries";
  private static final String DATABASES = "databases";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Savepoint savepoint;
  private final Path folder;
  private final Trust trust;
  private final Map<String, String> uids;

  /**
   * @param uids uids by the hash that identifies their operators
   */
  Extraction(Savepoint savepoint, Path folder, Trust trust, Map<String, String> uids) {
    this.savepoint = savepoint;
    this.folder = folder;
    this.trust = trust;
    this.uids = uids;
  }

  /** The keyed state of a subtask: its file, the number of its entries by state, its states. */
  private record Part(String file, Map<String, Long> entries, List<ObjectNode> states) {}

  /** An operator of which parts are being read. */
  private record Pending(
      OperatorState operator, Future<ArrayNode> lists, List<Future<Part>> parts) {}

  /** Writes the entries, and then the head. */
  void run() throws Throwable {
    Files.createDirectory(folder.resolve(ENTRIES));
    Files.createDirectory(folder.resolve(DATABASES));
    ObjectNode head = JSON.createObjectNode();
    head.put("version", VERSION);
    head.put("savepoint", savepoint.folder().toUri().toString());
    head.put("checkpointId", savepoint.checkpointId());
    head.put("format", savepoint.format().orElse(null));
    head.put("time", savepoint.time());
    head.put("stopped", savepoint.stopped());
    ArrayNode described = head.putArray("operators");
    ExecutorService threads = Executors.newFixedThreadPool(THREADS, this::thread);
    try {
      List<Pending> operators = new ArrayList<>();
      for (OperatorState operator : sorted()) {
        operators.add(begin(operator, threads));
      }
      for (Pending operator : operators) {
        described.add(describe(operator));
      }
    } catch (ExecutionException failure) {
      throw failure.getCause();
    } finally {
      threads.shutdownNow();
      // Tasks end at their next entry; until then they write files, which a failure removes.
      threads.awaitTermination(Long.MAX_VALUE, TimeUnit.SECONDS);
    }
    remove(folder.resolve(DATABASES));
    Files.deleteIfExists(folder.resolve(DATABASES));
    Files.write(
        folder.resolve(HEAD),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(head),
        StandardOpenOption.CREATE_NEW);
  }

  private List<OperatorState> sorted() {
    return savepoint.operators().stream()
        .sorted(Comparator.comparing(operator -> operator.getOperatorID().toHexString()))
        .toList();
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(task, "savepoint");
    thread.setDaemon(true);
    thread.setContextClassLoader(trust);
    return thread;
  }

  private Pending begin(OperatorState operator, ExecutorService threads) {
    Future<ArrayNode> lists = threads.submit(placed(operator, () -> lists(operator)));
    List<Future<Part>> parts = new ArrayList<>();
    for (Map.Entry<Integer, OperatorSubtaskState> subtask : subtasks(operator).entrySet()) {
      OperatorSubtaskState state = subtask.getValue();
      if (!state.getManagedKeyedState().isEmpty() || !state.getRawKeyedState().isEmpty()) {
        parts.add(threads.submit(placed(operator, () -> keyed(operator, subtask.getKey(), state))));
      }
    }
    return new Pending(operator, lists, parts);
  }

  /** A task whose errors name the operator. */
  private <T> Callable<T> placed(OperatorState operator, Callable<T> task) {
    return () -> {
      String where = savepoint.placeOf(operator);
      trust.takeRefused();
      try {
        return task.call();
      } catch (Refusal refusal) {
        throw refusal.at(where);
      } catch (Throwable error) {
        throw refusal(error, where, trust);
      }
    };
  }

  private ArrayNode lists(OperatorState operator) throws IOException {
    OperatorLists lists = new OperatorLists(savepoint, trust);
    for (OperatorSubtaskState subtask : subtasks(operator).values()) {
      for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
        lists.read(handle);
      }
    }
    return lists.describe();
  }

  private Part keyed(OperatorState operator, int subtask, OperatorSubtaskState content)
      throws Exception {
    String id = operator.getOperatorID().toHexString();
    String file = ENTRIES + "/" + id + "-" + subtask + ".jsonl";
    List<KeyedStateHandle> handles = List.copyOf(content.getManagedKeyedState());
    List<ObjectNode> states = new ArrayList<>();
    try (Entries entries = new Entries(folder.resolve(file), id)) {
      for (int at = 0; at < handles.size(); at++) {
        KeyedFile keyed =
            new KeyedFile(handles.get(at), operator.getMaxParallelism(), savepoint, trust);
        keyed.states().forEach(state -> states.add(state.describe()));
        String database = DATABASES + "/" + id + "-" + subtask + "-" + at;
        keyed.read(folder.resolve(database), entries);
      }
      for (KeyedStateHandle handle : content.getRawKeyedState()) {
        RawTimers timers = new RawTimers((KeyGroupsStateHandle) handle, savepoint, trust);
        timers.read(entries);
        timers.states().forEach(state -> states.add(state.describe()));
      }
      return new Part(file, entries.counts(), states);
    }
  }

  private ObjectNode describe(Pending pending) throws ExecutionException, InterruptedException {
    OperatorState operator = pending.operator();
    ObjectNode node = JSON.createObjectNode();
    node.put("id", operator.getOperatorID().toHexString());
    String known = uids.get(operator.getOperatorID().toHexString());
    node.put("uid", operator.getOperatorUid().filter(uid -> !uid.isEmpty()).orElse(known));
    node.put("name", operator.getOperatorName().filter(name -> !name.isEmpty()).orElse(null));
    node.put("parallelism", operator.getParallelism());
    node.put("maxParallelism", operator.getMaxParallelism());
    Map<String, ObjectNode> states = new TreeMap<>();
    ArrayNode files = JSON.createArrayNode();
    Map<String, Long> entries = new TreeMap<>();
    for (Future<Part> future : pending.parts()) {
      Part part = future.get();
      files.add(part.file());
      part.entries().forEach((state, count) -> entries.merge(state, count, Long::sum));
      for (ObjectNode state : part.states()) {
        ObjectNode same = states.putIfAbsent(state.get("name").asText(), state);
        if (same != null && !same.equals(state)) {
          throw new ExecutionException(
              new Refusal(
                  "state '" + state.get("name").asText() + "' has another type in each subtask",
                  savepoint.placeOf(operator),
                  "take the savepoint again"));
        }
      }
    }
    states.forEach((name, state) -> state.put("entries", entries.getOrDefault(name, 0L)));
    node.putArray("states").addAll(states.values());
    node.set("lists", pending.lists().get());
    var coordinator = operator.getCoordinatorState();
    node.put("coordinator", coordinator == null ? null : coordinator.getData());
    node.put("finished", operator.isFullyFinished());
    node.set("files", files);
    node.put("entries", entries.values().stream().mapToLong(Long::longValue).sum());
    node.put("bytes", bytes(operator));
    return node;
  }

  private static long bytes(OperatorState operator) {
    return operator.getStates().stream()
        .flatMap(Extraction::keyedHandles)
        .mapToLong(KeyedStateHandle::getStateSize)
        .sum();
  }

  private static Stream<KeyedStateHandle> keyedHandles(OperatorSubtaskState subtask) {
    return Stream.concat(
        subtask.getManagedKeyedState().stream(), subtask.getRawKeyedState().stream());
  }

  private static Map<Integer, OperatorSubtaskState> subtasks(OperatorState operator) {
    return new TreeMap<>(operator.getSubtaskStates());
  }

  /** The reason for a failure that Flink, RocksDB or the JVM reports. */
  static Refusal refusal(Throwable error, String where, Trust trust) {
    String name = trust.takeRefused();
    if (name != null) {
      return new Refusal(
          "the savepoint names the class " + name + ", which is not allowed",
          where,
          "give the jar of a class of your job with `--jars`; do not use a savepoint of a"
              + " stranger");
    }
    Throwable cause = error;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String reason =
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    if (cause instanceof EOFException) {
      reason = "a file is truncated";
    } else if (cause instanceof OutOfMemoryError) {
      reason = "an entry needs more memory than the reader has";
    }
    return new Refusal(
        "the savepoint cannot be read: " + reason,
        where,
        "check that it was copied as a whole, or take it again");
  }

  /** Removes the content of a folder. Links are removed, not followed. */
  static void remove(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(folder)) {
          Files.delete(path);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
