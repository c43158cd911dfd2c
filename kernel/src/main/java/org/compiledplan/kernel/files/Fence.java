package org.compiledplan.kernel.files;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * The expiry times of this process's leases on checkpoints. They are stored here, not with the
 * thread that renews leases, so that a process that was suspended notices an expired lease before
 * it writes.
 */
public final class Fence {
  private static final Map<String, Double> ENDS = new ConcurrentHashMap<>();

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
   */
  public static void put(String root, double end) {
    ENDS.put(root, end);
  }

  /**
   * Checks that a path is in no checkpoint whose lease has expired.
   *
   * @throws IOException naming the checkpoint
   */
  static void check(Path path) throws IOException {
    String file = path.toString();
    for (Map.Entry<String, Double> entry : ENDS.entrySet()) {
      String root = entry.getKey();
      boolean counts = file.startsWith(root + "/") && !file.startsWith(root + "/leases/");
      if (counts && seconds() >= entry.getValue()) {
        throw new IOException("the lease on " + root + " has ended; " + file + " is not written");
      }
    }
  }
}
