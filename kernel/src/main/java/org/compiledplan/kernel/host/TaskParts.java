package org.compiledplan.kernel.host;

import java.io.Serializable;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;

/**
 * What operators of one task leave for each other, by a name; with the task's end it is gone. A
 * copy that went to an executor has the name of that in the driver.
 *
 * @param <T> what is left
 */
record TaskParts<T>(String name) implements Serializable {
  private static final Map<String, Object> PARTS = new ConcurrentHashMap<>();

  /** Parts under a name that no other has. */
  static <T> TaskParts<T> ofTheirOwn() {
    return new TaskParts<>(UUID.randomUUID().toString());
  }

  void put(T part) {
    TaskContext task = TaskContext.get();
    String place = place(task);
    PARTS.put(place, part);
    task.addTaskCompletionListener(
        ended -> {
          PARTS.remove(place);
          return null;
        });
  }

  /** The part that was left, null if none was or outside a task. */
  @SuppressWarnings("unchecked")
  T get() {
    TaskContext task = TaskContext.get();
    return task == null ? null : (T) PARTS.get(place(task));
  }

  /** As {@link #get}, for the last time. */
  @SuppressWarnings("unchecked")
  T take() {
    return (T) PARTS.remove(place(TaskContext.get()));
  }

  private String place(TaskContext task) {
    return name + '/' + task.taskAttemptId();
  }
}
