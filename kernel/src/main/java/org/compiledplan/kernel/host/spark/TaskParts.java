package org.compiledplan.kernel.host.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;

/**
 * Objects that operators of one task share, by name; released when the task ends. A copy sent to an
 * executor has the same name as in the driver.
 *
 * @param <T> type of the object
 */
public record TaskParts<T>(String name) implements Serializable {
  private static final Map<String, Object> PARTS = new ConcurrentHashMap<>();

  /** Parts under a unique name. */
  public static <T> TaskParts<T> unique() {
    return new TaskParts<>(UUID.randomUUID().toString());
  }

  public void put(T part) {
    TaskContext task = TaskContext.get();
    String place = place(task);
    PARTS.put(place, part);
    task.addTaskCompletionListener(
        ended -> {
          PARTS.remove(place);
          return null;
        });
  }

  /** The object, null if there is none or outside of a task. */
  @SuppressWarnings("unchecked")
  public T get() {
    TaskContext task = TaskContext.get();
    return task == null ? null : (T) PARTS.get(place(task));
  }

  /** Returns and removes the object, see {@link #get}. */
  @SuppressWarnings("unchecked")
  public T take() {
    return (T) PARTS.remove(place(TaskContext.get()));
  }

  private String place(TaskContext task) {
    return name + '/' + task.taskAttemptId();
  }
}
