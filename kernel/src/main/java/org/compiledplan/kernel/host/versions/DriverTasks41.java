package org.compiledplan.kernel.host.versions;

import java.lang.reflect.Constructor;
import java.util.Properties;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;

/** Tasks with a whole number of processors. */
final class DriverTasks41 implements DriverTasks {
  private final Constructor<?> constructor = TaskContextImpl.class.getConstructors()[0];
  private final Object processors = byDefault(11);
  private final Object resources = byDefault(12);

  @Override
  public TaskContextImpl context(long id) {
    return (TaskContextImpl)
        Reflection.create(
            constructor,
            0,
            0,
            0,
            id,
            0,
            1,
            DriverTasks.memory(id),
            new Properties(),
            SparkEnv.get().metricsSystem(),
            TaskMetrics.empty(),
            processors,
            resources);
  }

  private static Object byDefault(int parameter) {
    String name = "$lessinit$greater$default$" + parameter;
    return Reflection.call(Reflection.method(TaskContextImpl.class, name), null);
  }
}
