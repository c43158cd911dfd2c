package org.compiledplan.kernel.userfunctions;

import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/** A user function that a task opens at its first call and gives back when it ends. */
public final class TaskFunction {
  private final FunctionSpec spec;
  private UserFunction function;

  public TaskFunction(FunctionSpec spec) {
    this.spec = spec;
  }

  /** Returns the open function. */
  public UserFunction get() {
    if (function == null) {
      function = UserFunctions.acquire(spec);
      TaskContext task = TaskContext.get();
      // Without a task, the driver evaluates an expression of constants once.
      if (task != null) task.addTaskCompletionListener((TaskCompletionListener) ended -> release());
    }
    return function;
  }

  private void release() {
    UserFunction open = function;
    function = null;
    UserFunctions.release(spec, open);
  }
}
