package org.compiledplan.kernel.files;

import org.apache.hadoop.fs.Path;

/** A file of a checkpoint that differs from what was written. */
public final class DamagedFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DamagedFileException(Path file, String reason) {
    super(file + ": " + reason);
  }
}
