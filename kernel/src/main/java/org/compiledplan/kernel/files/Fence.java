package org.compiledplan.kernel.files;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * The times at which this process's leases on checkpoints end. It is here, not with the thread that
 * renews leases, so that a process that was suspended finds it before it writes.
 */
public final class Fence {
  private static final Map<String, Double> ENDS = new ConcurrentHashMap<>();

  private Fence() {}

  /** The clock of leases, in seconds. */
  public static double seconds() {
    return System.nanoTime() / 1e9;
  }

  /**
   * Has the lease on a checkpoint end at some time, in place of the time that was set before.
   *
   * @param root the URI of the checkpoint
   * @param end a time of {@link #seconds}
   */
  public static void put(String root, double end) {
    ENDS.put(root, end);
  }

  /**
   * Fails if the path is in a checkpoint whose lease has ended.
   *
   * @throws IOException names the checkpoint
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
