package org.compiledplan.kernel.host.spark;

import java.lang.reflect.Field;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.streaming.HasStreamingSourceIdentifyingName;
import org.apache.spark.sql.catalyst.streaming.UserProvided;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleState;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.util.Clock;
import org.apache.spark.util.TaskInterruptListener;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;

/** Spark 4.3. */
final class Spark43 implements SparkGate {
  private static final String CLOCK = "triggerClock";
  private static final String OWNER = "$outer";
  private static final String ORIGINS = "updatingResource";
  private static final String MACHINE_LEARNING =
      "org.apache.spark.sql.ml.InternalFunctionRegistration$";

  @Override
  public void setClock(StreamExecution query, Clock clock) {
    try {
      field(StreamExecution.class, CLOCK).set(query, clock);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException("this Spark keeps the clock of a query elsewhere", error);
    }
  }

  @Override
  public boolean isRealTime(TransformWithStateExec stage) {
    return stage.isRealTimeMode();
  }

  @Override
  public void onInterruption(TaskContext task, Runnable action) {
    task.addTaskInterruptListener((TaskInterruptListener) (context, reason) -> action.run());
  }

  @Override
  public boolean canBeNamed(LogicalPlan node) {
    return node instanceof HasStreamingSourceIdentifyingName;
  }

  @Override
  public LogicalPlan named(LogicalPlan source, String name) {
    return ((HasStreamingSourceIdentifyingName) source)
        .withSourceIdentifyingName(new UserProvided(name));
  }

  @Override
  public ValueState<byte[]> variable(
      String name, StatefulProcessorHandle handle, boolean hasFamilies) {
    return PooledAccess.variable(name, handle, hasFamilies);
  }

  @Override
  public StateStore store(StatefulProcessorHandle handle) {
    return PooledAccess.store(handle);
  }

  @Override
  public Iterator<Tuple2<Object, Object>> expiredTimers(
      StatefulProcessorHandle handle, long watermark) {
    return ((StatefulProcessorHandleImpl) handle).getExpiredTimers(watermark, Option.empty());
  }

  @Override
  public boolean isProcessed(StatefulProcessorHandle handle) {
    return ((StatefulProcessorHandleImpl) handle).getHandleState()
        == StatefulProcessorHandleState.DATA_PROCESSED();
  }

  @Override
  public Object files(StateStore store) {
    try {
      return field(store.getClass(), OWNER).get(store);
    } catch (ReflectiveOperationException | RuntimeException error) {
      return null;
    }
  }

  @Override
  public void clearOrigins(Configuration settings) {
    try {
      ((Map<?, ?>) field(Configuration.class, ORIGINS).get(settings)).clear();
    } catch (ReflectiveOperationException | RuntimeException fault) {
      // Other Hadoop versions store them elsewhere: nothing is saved then.
    }
  }

  @Override
  public void loadMachineLearning() throws ClassNotFoundException {
    Class.forName(MACHINE_LEARNING);
  }

  private static Field field(Class<?> of, String name) throws NoSuchFieldException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
