package org.compiledplan.kernel.host.versions;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/** A thread that asks all running tasks. */
final class TaskKills41 implements TaskKills {
  private static final long MILLIS = 100;

  private final Map<TaskContext, Runnable> actions = new ConcurrentHashMap<>();

  TaskKills41() {
    ScheduledExecutorService watch =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "killed-tasks");
              thread.setDaemon(true);
              return thread;
            });
    watch.scheduleWithFixedDelay(this::look, MILLIS, MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void onKill(TaskContext task, Runnable action) {
    actions.merge(
        task,
        action,
        (first, second) ->
            () -> {
              first.run();
              second.run();
            });
    task.addTaskCompletionListener((TaskCompletionListener) actions::remove);
  }

  private void look() {
    for (TaskContext task : actions.keySet()) {
      if (!task.isInterrupted()) continue;
      Runnable action = actions.remove(task);
      if (action != null) action.run();
    }
  }
}
