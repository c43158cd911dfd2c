package org.compiledplan.kernel.host.store;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.util.TaskCompletionListener;
import org.compiledplan.kernel.host.versions.SparkGate;

/**
 * A task's knowledge about its state store from earlier tasks, each of which created the next
 * version of the store. Nothing is known about a version that came about otherwise (start from a
 * checkpoint, retried task, another executor).
 *
 * @param continues true if an earlier task of this process wrote this version, so that all column
 *     families exist
 * @param keys null if the keys with state are unknown
 */
record KnownStore(boolean continues, WrittenKeys keys) {
  /** Session option of a query with a single micro-batch: no later one looks for its keys. */
  private static final String SINGLE_BATCH = "spark.compiledPlan.singleBatch";

  /** Keyed by the object that owns the store's files; Spark releases it when the query ends. */
  private static final Map<Object, Left> LEFT = Collections.synchronizedMap(new WeakHashMap<>());

  /** Left behind by a task: the version that it created, and the keys with state, if known. */
  private record Left(long version, WrittenKeys keys) {}

  /** The current task's knowledge; call it once per task. */
  static KnownStore of(StatefulProcessorHandle handle) {
    TaskContext task = TaskContext.get();
    StateStore store = SparkGate.SPARK.store(handle);
    Object files = store == null ? null : SparkGate.SPARK.files(store);
    if (task == null || files == null) return new KnownStore(false, null);
    Left last = LEFT.remove(files);
    long version = store.version();
    boolean continues = last != null && last.version == version;
    WrittenKeys keys = continues ? last.keys : version == 0 ? first(task) : null;
    task.addTaskCompletionListener(
        (TaskCompletionListener)
            ended -> {
              if (!ended.isFailed()) LEFT.put(files, new Left(version + 1, keys));
            });
    return new KnownStore(continues, keys);
  }

  private static WrittenKeys first(TaskContext task) {
    boolean isSingle = "true".equals(task.getLocalProperty(SINGLE_BATCH));
    return isSingle ? WrittenKeys.once() : new WrittenKeys();
  }

  /** Returns true if a key may have state. */
  boolean mayHave(String op, String key) {
    return keys == null || keys.mayHave(op, key);
  }

  /**
   * Records that a key has state.
   *
   * @param isNew true if {@link #mayHave} has returned false for the key
   */
  void written(String op, String key, boolean isNew) {
    if (keys != null) keys.add(op, key, isNew);
  }
}
