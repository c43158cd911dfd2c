package org.compiledplan.kernel.host.versions;

import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.TransformWithStateExec;

/** Stages that know their mode. */
final class RealTimeStages43 implements RealTimeStages {
  @Override
  public boolean contains(TransformWithStateExec stage) {
    return stage.isRealTimeMode();
  }
}
