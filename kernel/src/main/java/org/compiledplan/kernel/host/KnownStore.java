package org.compiledplan.kernel.host;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.util.TaskCompletionListener;

/**
 * What a task knows of its store of state from the tasks before it, each of which took the store
 * from one version to the next. Where a version came about otherwise (a start from a checkpoint, a
 * task that was run again, another executor) nothing is known.
 *
 * @param continues whether a task before it has left this version, with all that is to be made in a
 *     store
 * @param keys null where it is not known which keys have a state
 */
record KnownStore(boolean continues, WrittenKeys keys) {
  /** By the object that has a store's files; Spark lets go of it when the query has ended. */
  private static final Map<Object, Left> LEFT = Collections.synchronizedMap(new WeakHashMap<>());

  /** What a task leaves: the version that it has made, and the keys that are in it, if known. */
  private record Left(long version, WrittenKeys keys) {}

  /** What the current task knows; to be asked once in a task. */
  static KnownStore of(StatefulProcessorHandle handle) {
    TaskContext task = TaskContext.get();
    StateStore store = KeptAccess.store(handle);
    Object files = store == null ? null : files(store);
    if (task == null || files == null) return new KnownStore(false, null);
    Left last = LEFT.remove(files);
    long version = store.version();
    boolean continues = last != null && last.version == version;
    WrittenKeys keys = continues ? last.keys : version == 0 ? new WrittenKeys() : null;
    task.addTaskCompletionListener(
        (TaskCompletionListener)
            ended -> {
              if (!ended.isFailed()) LEFT.put(files, new Left(version + 1, keys));
            });
    return new KnownStore(continues, keys);
  }

  /** The provider that a store belongs to; null where Spark has another kind of store. */
  private static Object files(StateStore store) {
    try {
      Field outer = store.getClass().getDeclaredField("$outer");
      outer.setAccessible(true);
      return outer.get(store);
    } catch (ReflectiveOperationException | RuntimeException error) {
      return null;
    }
  }

  /** Whether a key may have a state. */
  boolean mayHave(String op, String key) {
    return keys == null || keys.mayHave(op, key);
  }

  /** To be told of each key that is given a state. */
  void written(String op, String key) {
    if (keys != null) keys.add(op, key);
  }
}
