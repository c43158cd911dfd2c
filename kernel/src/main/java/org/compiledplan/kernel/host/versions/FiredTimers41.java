package org.compiledplan.kernel.host.versions;

import java.lang.reflect.Method;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import scala.Tuple2;
import scala.collection.Iterator;

/** Scans from the first timer. */
final class FiredTimers41 implements FiredTimers {
  private final Method scan =
      Reflection.method(StatefulProcessorHandleImpl.class, "getExpiredTimers", long.class);

  @Override
  @SuppressWarnings("unchecked")
  public Iterator<Tuple2<Object, Object>> until(
      StatefulProcessorHandleImpl handle, long watermark) {
    return (Iterator<Tuple2<Object, Object>>) Reflection.call(scan, handle, watermark);
  }
}
