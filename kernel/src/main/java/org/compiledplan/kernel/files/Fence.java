package org.compiledplan.kernel.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * The expiry times of this process's leases on checkpoints. They are stored here, not with the
 * thread that renews leases, so that a process that was suspended notices an expired lease before
 * it writes.
 */
public final class Fence {
  private static final Map<String, Lease> LEASES = new ConcurrentHashMap<>();
  private static final long POLL_MILLIS = 50;

  /** A lease: when it ends, and until when a write waits for its late renewal. */
  private record Lease(double end, double last) {}

  private Fence() {}

  /** Returns the clock of leases, in seconds. */
  public static double seconds() {
    return System.nanoTime() / 1e9;
  }

  /**
   * Sets the expiry time of the lease on a checkpoint.
   *
   * @param root URI of the checkpoint
   * @param end a time of {@link #seconds}
   * @param patience how many seconds after that the lease may still be renewed
   */
  public static void put(String root, double end, double patience) {
    LEASES.put(root, new Lease(end, end + patience));
  }

  /**
   * Waits until a path is in no checkpoint whose lease has expired: the lease may be renewed late.
   *
   * @throws IOException naming the checkpoint, if the lease is not renewed in time
   */
  static void check(Path path) throws IOException {
    String file = path.toString();
    for (String root : LEASES.keySet()) {
      if (!file.startsWith(root + "/") || file.startsWith(root + "/leases/")) continue;
      while (seconds() >= LEASES.get(root).end()) {
        if (seconds() >= LEASES.get(root).last()) {
          throw new IOException("the lease on " + root + " has ended; " + file + " is not written");
        }
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("stopped while it waited for a lease");
    }
  }
}
