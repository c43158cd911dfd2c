package org.compiledplan.kernel.host.input;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.util.Clock;
import org.compiledplan.kernel.host.versions.SparkGate;

/**
 * The clock by which a query's micro-batches are planned, and thus the clock of TTLs and processing
 * time. It advances on its own even if the machine's clock is set; the driver makes it follow the
 * machine's clock. It never goes back.
 */
public class BatchClock implements Clock {
  private static final long NANOS = 1_000_000;

  private final AtomicLong last;
  private volatile long offset;

  /**
   * @param last time of the last micro-batch, in ms
   * @param now the machine's time, in ms
   */
  public BatchClock(long last, long now) {
    this.last = new AtomicLong(last);
    follow(now);
  }

  /** Follows the machine's time. */
  public void follow(long now) {
    offset = now - System.nanoTime() / NANOS;
  }

  @Override
  public long getTimeMillis() {
    return last.accumulateAndGet(System.nanoTime() / NANOS + offset, Math::max);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long waitTillTime(long target) {
    try {
      Thread.sleep(Math.max(0, target - getTimeMillis()));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    return getTimeMillis();
  }

  /**
   * Makes the next query that starts on a checkpoint use this clock.
   *
   * @return a handle to close once the query has started
   */
  public AutoCloseable forNext(SparkSession session, String checkpoint) {
    StreamingQueryListener listener = new Starts(session, checkpoint);
    session.streams().addListener(listener);
    return () -> session.streams().removeListener(listener);
  }

  /** Spark calls it in the query's thread, before the query reads a clock. */
  private final class Starts extends StreamingQueryListener {
    private final SparkSession session;
    private final String checkpoint;

    Starts(SparkSession session, String checkpoint) {
      this.session = session;
      this.checkpoint = path(checkpoint);
    }

    @Override
    public void onQueryStarted(QueryStartedEvent event) {
      StreamingQuery query = session.streams().get(event.id());
      if (!(query instanceof StreamingQueryWrapper wrapper)) return;
      StreamExecution execution = wrapper.streamingQuery();
      if (!path(execution.resolvedCheckpointRoot()).equals(checkpoint)) return;
      SparkGate.SPARK.setClock(execution, BatchClock.this);
    }

    @Override
    public void onQueryProgress(QueryProgressEvent event) {}

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {}

    private static String path(String uri) {
      return new Path(uri).toUri().getPath();
    }
  }
}
