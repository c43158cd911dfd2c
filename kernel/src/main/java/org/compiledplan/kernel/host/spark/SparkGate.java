package org.compiledplan.kernel.host.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.util.Clock;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Accesses to Spark that differ between its versions or have no interface: private fields, and
 * classes of Spark's internals. A version of Spark has one class that implements them all.
 */
public interface SparkGate {
  SparkGate SPARK = new Spark43();

  /**
   * Sets the clock by which a query plans its micro-batches.
   *
   * @throws IllegalStateException if this Spark keeps the clock elsewhere
   */
  void setClock(StreamExecution query, Clock clock);

  /** Returns true if a stage runs in real-time mode. */
  boolean isRealTime(TransformWithStateExec stage);

  /** Runs an action, in another thread, when the task is killed. */
  void onInterruption(TaskContext task, Runnable action);

  /** Returns true if a node is a streaming source that can have a name. */
  boolean canBeNamed(LogicalPlan node);

  /** The streaming source under a name, by which a checkpoint stores its offsets. */
  LogicalPlan named(LogicalPlan source, String name);

  /**
   * The state variable of a task; the handle's timers are set as well.
   *
   * @param name name of the variable
   * @param hasFamilies true if the store already has its column families; otherwise they are
   *     created
   */
  ValueState<byte[]> variable(String name, StatefulProcessorHandle handle, boolean hasFamilies);

  /** The store of a task's state; null if this Spark keeps it elsewhere. */
  StateStore store(StatefulProcessorHandle handle);

  /** The timers of all keys that have fired by a watermark: key and time, earliest first. */
  Iterator<Tuple2<Object, Object>> expiredTimers(StatefulProcessorHandle handle, long watermark);

  /** Returns true once the rows of the batch are processed, and timers alone remain. */
  boolean isProcessed(StatefulProcessorHandle handle);

  /**
   * The owner of a store's files, one object from a query's start to its end; null for kinds of
   * store without one.
   */
  Object files(StateStore store);

  /** Clears the origins of Hadoop's settings; does nothing if this Hadoop keeps them elsewhere. */
  void clearOrigins(Configuration settings);

  /** Loads the SQL functions of Spark's machine learning. */
  void loadMachineLearning() throws ClassNotFoundException;
}
