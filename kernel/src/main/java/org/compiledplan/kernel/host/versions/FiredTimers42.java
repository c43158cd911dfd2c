package org.compiledplan.kernel.host.versions;

import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;

/** Scans that may begin at an earlier watermark. */
final class FiredTimers42 implements FiredTimers {
  @Override
  public Iterator<Tuple2<Object, Object>> until(
      StatefulProcessorHandleImpl handle, long watermark) {
    return handle.getExpiredTimers(watermark, Option.empty());
  }
}
