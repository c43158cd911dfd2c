package org.compiledplan.kernel.host.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.compiledplan.kernel.host.runtime.StageKeys;
import org.compiledplan.kernel.host.versions.SparkGate;
import scala.Tuple2;

/**
 * The keys that are due by a watermark of the kernel, list by list, earliest first. Their timers
 * are Spark's and are removed like fired ones, so that they fire in either mode, whether Spark or
 * the kernel advances the time.
 */
final class DueTimers implements Iterator<TimerIndex.Due> {
  private record Timer(Row key, long time) {}

  private final StatefulProcessorHandle handle;
  private final TimerIndex index;
  private final Deque<Timer> timers = new ArrayDeque<>();
  private Iterator<TimerIndex.Due> keys = java.util.Collections.emptyIterator();

  DueTimers(StatefulProcessorHandle handle, TimerIndex index, long watermark) {
    this.handle = handle;
    this.index = index;
    scala.collection.Iterator<Tuple2<Object, Object>> expired =
        SparkGate.SPARK.expiredTimers(handle, watermark);
    while (expired.hasNext()) {
      Tuple2<Object, Object> timer = expired.next();
      Row key = (Row) timer._1();
      if (index.owns(key) && !StageKeys.key(key).equals(TimerIndex.END_OF_BATCH))
        timers.add(new Timer(key, (Long) timer._2()));
    }
  }

  @Override
  public boolean hasNext() {
    while (!keys.hasNext()) {
      Timer timer = timers.poll();
      if (timer == null) return false;
      byte[] list = index.take(StageKeys.key(timer.key));
      StageKeys.within(timer.key, () -> handle.deleteTimer(timer.time));
      if (list != null) keys = TimerIndex.keys(list);
    }
    return true;
  }

  @Override
  public TimerIndex.Due next() {
    if (!hasNext()) throw new NoSuchElementException();
    return keys.next();
  }
}
