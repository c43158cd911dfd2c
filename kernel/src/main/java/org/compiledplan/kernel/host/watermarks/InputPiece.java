package org.compiledplan.kernel.host.watermarks;

import org.apache.spark.TaskContext;
import org.apache.spark.rdd.InputFileBlockHolder;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The part of a source that a task reads in its order: one file, or else all of its input. Spark
 * gives a task several files, the largest first.
 */
final class InputPiece {
  private long task;
  private UTF8String file;

  /** True if the current row is of another piece than the last one. */
  boolean changes() {
    TaskContext context = TaskContext.get();
    long running = context == null ? 0 : context.taskAttemptId() + 1;
    UTF8String path = InputFileBlockHolder.getInputFilePath();
    if (running == task && (path == file || path.equals(file))) return false;
    task = running;
    file = path;
    return true;
  }
}
