package org.compiledplan.kernel.host.versions;

import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;

/** Stages with state in real-time mode. */
interface RealTimeStages {
  /** Versions in which no stage with state runs in this mode. */
  RealTimeStages NONE = stage -> false;

  /** Returns true if a stage runs in real-time mode. */
  boolean contains(TransformWithStateExec stage);
}
