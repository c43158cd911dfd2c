package org.compiledplan.kernel.host.versions;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleState;
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.util.Clock;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Accesses to Spark that differ between its versions or have no interface: private fields, and
 * classes of Spark's internals.
 */
public final class SparkGate {
  /** The gate to the Spark of this process. */
  public static final SparkGate SPARK = new SparkGate(SparkVersion.running());

  private static final String CLOCK = "triggerClock";
  private static final String OWNER = "$outer";
  private static final String ORIGINS = "updatingResource";
  private static final String MACHINE_LEARNING =
      "org.apache.spark.sql.ml.InternalFunctionRegistration$";

  private final SourceNaming sources;
  private final TaskKills kills;
  private final FiredTimers timers;
  private final DriverTasks tasks;
  private final RealTimeStages realTime;

  private SparkGate(SparkVersion spark) {
    sources = spark.since(2) ? new SourceNaming42() : new SourceNaming41();
    kills = spark.since(2) ? new TaskKills42() : new TaskKills41();
    timers = spark.since(2) ? new FiredTimers42() : new FiredTimers41();
    tasks = spark.since(3) ? new DriverTasks43() : new DriverTasks41();
    realTime = spark.since(3) ? new RealTimeStages43() : RealTimeStages.NONE;
  }

  // ---- what differs between versions

  /** Returns true if a node is a streaming source that can have a name. */
  public boolean canBeNamed(LogicalPlan node) {
    return sources.canName(node);
  }

  /** The streaming source under a name, by which a checkpoint stores its offsets. */
  public LogicalPlan named(LogicalPlan source, String name) {
    return sources.named(source, name);
  }

  /**
   * The names of a started query's sources, in the order of its progress reports; empty for a
   * source without a name.
   */
  public List<String> sourceNames(MicroBatchExecution query) {
    return sources.of(query);
  }

  /** Runs an action, in another thread, when the task is killed. */
  public void onInterruption(TaskContext task, Runnable action) {
    kills.onKill(task, action);
  }

  /** The timers of all keys that have fired by a watermark: key and time, earliest first. */
  public Iterator<Tuple2<Object, Object>> expiredTimers(
      StatefulProcessorHandle handle, long watermark) {
    return timers.until((StatefulProcessorHandleImpl) handle, watermark);
  }

  /**
   * The context of a task that the driver runs by itself.
   *
   * @param id the number of the task
   */
  public TaskContextImpl driverTask(long id) {
    return tasks.context(id);
  }

  /** Returns true if a stage runs in real-time mode. */
  public boolean isRealTime(TransformWithStateExec stage) {
    return realTime.contains(stage);
  }

  // ---- what has no interface

  /**
   * Sets the clock by which a query plans its micro-batches.
   *
   * @throws IllegalStateException if this Spark keeps the clock elsewhere
   */
  public void setClock(StreamExecution query, Clock clock) {
    try {
      Reflection.field(StreamExecution.class, CLOCK).set(query, clock);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException("this Spark keeps the clock of a query elsewhere", error);
    }
  }

  /**
   * The state variable of a task; the handle's timers are set as well.
   *
   * @param name name of the variable
   * @param hasFamilies true if the store already has its column families; otherwise they are
   *     created
   */
  public ValueState<byte[]> variable(
      String name, StatefulProcessorHandle handle, boolean hasFamilies) {
    return PooledAccess.variable(name, handle, hasFamilies);
  }

  /** The store of a task's state; null if this Spark keeps it elsewhere. */
  public StateStore store(StatefulProcessorHandle handle) {
    return PooledAccess.store(handle);
  }

  /** Returns true once the rows of the batch are processed, and timers alone remain. */
  public boolean isProcessed(StatefulProcessorHandle handle) {
    return ((StatefulProcessorHandleImpl) handle).getHandleState()
        == StatefulProcessorHandleState.DATA_PROCESSED();
  }

  /**
   * The owner of a store's files, one object from a query's start to its end; null for kinds of
   * store without one.
   */
  public Object files(StateStore store) {
    try {
      return Reflection.field(store.getClass(), OWNER).get(store);
    } catch (ReflectiveOperationException | RuntimeException error) {
      return null;
    }
  }

  /** Clears the origins of Hadoop's settings; does nothing if this Hadoop keeps them elsewhere. */
  public void clearOrigins(Configuration settings) {
    try {
      ((Map<?, ?>) Reflection.field(Configuration.class, ORIGINS).get(settings)).clear();
    } catch (ReflectiveOperationException | RuntimeException fault) {
      // Other Hadoop versions store them elsewhere: nothing is saved then.
    }
  }

  /** Loads the SQL functions of Spark's machine learning. */
  public void loadMachineLearning() throws ClassNotFoundException {
    Class.forName(MACHINE_LEARNING);
  }
}
