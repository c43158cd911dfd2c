package org.compiledplan.kernel.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.checkpointing.FileContextBasedCheckpointFileManager;

/**
 * Checkpoint files of an object store whose objects appear whole, when their stream is closed, and
 * not at all if it is aborted. Elsewhere Spark writes a file aside and renames it, which in such a
 * store is a deletion of the former file and a copy: a process that ends between them loses it.
 */
final class WholeObjects extends FileContextBasedCheckpointFileManager {
  private final FileSystem files;

  WholeObjects(Path path, Configuration conf) {
    super(path, conf);
    files = files(path, conf);
  }

  /** Returns true if the file system of a path is such a store. */
  static boolean holds(Path path, Configuration conf) {
    try {
      return files(path, conf).hasPathCapability(path, CommonPathCapabilities.ABORTABLE_STREAM);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static FileSystem files(Path path, Configuration conf) {
    try {
      return path.getFileSystem(conf);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    try {
      FSDataOutputStream object = files.create(path, overwrite);
      return new CancellableFSDataOutputStream(object) {
        @Override
        public void cancel() {
          object.abort();
        }
      };
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
