package org.compiledplan.kernel.host.versions;

import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import scala.Tuple2;
import scala.collection.Iterator;

/** Scans of the timers of all keys. */
interface FiredTimers {
  /** The timers that have fired by a watermark: key and time, earliest first. */
  Iterator<Tuple2<Object, Object>> until(StatefulProcessorHandleImpl handle, long watermark);
}
