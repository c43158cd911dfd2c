package org.compiledplan.kernel.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;

/**
 * Checkpoint files, written as by Spark, but only while the {@link Fence} is open: the logs of
 * offsets and commits, state, heads. A file becomes visible when its stream is closed, so the lease
 * is checked there. {@link Digests} of logs are recorded, and {@link StateChecksums} get the names
 * of their files.
 */
public final class FencedFiles implements CheckpointFileManager {
  private static final String MANAGER = "spark.sql.streaming.checkpointFileManagerClass";
  private static final String INNER = "spark.compiledPlan.checkpointFileManagerClass";

  private final CheckpointFileManager inner;

  /**
   * Creates the manager for a folder: the user's own class, if the configuration names one; for an
   * object store {@link WholeObjects}; otherwise the one that Spark would create.
   */
  public FencedFiles(Path path, Configuration conf) {
    Configuration own = new Configuration(conf);
    String chosen = conf.get(INNER, "");
    if (chosen.isEmpty()) own.unset(MANAGER);
    else own.set(MANAGER, chosen);
    inner =
        chosen.isEmpty() && WholeObjects.holds(path, own)
            ? new WholeObjects(path, own)
            : CheckpointFileManager.create(path, own);
  }

  @Override
  public CancellableFSDataOutputStream createAtomic(Path path, boolean overwrite) {
    CancellableFSDataOutputStream file = inner.createAtomic(path, overwrite);
    if (StateChecksums.contains(path)) return new FencedStream(file, path, new Naming(file, path));
    Digests digests = Digests.of(path);
    if (digests == null) return new FencedStream(file, path, file);
    MessageDigest digest = Digests.algorithm();
    return new FencedStream(file, path, new DigestOutputStream(file, digest)) {
      @Override
      protected void closed() throws IOException {
        digests.add(path, digest, FencedFiles.this);
      }
    };
  }

  @Override
  public FSDataInputStream open(Path path) {
    return StateChecksums.contains(path) ? StateChecksums.open(inner, path) : inner.open(path);
  }

  @Override
  public FileStatus[] list(Path path, PathFilter filter) {
    return inner.list(path, filter);
  }

  @Override
  public void mkdirs(Path path) {
    inner.mkdirs(path);
  }

  @Override
  public boolean exists(Path path) {
    return inner.exists(path);
  }

  @Override
  public void delete(Path path) {
    try {
      Fence.check(path);
    } catch (IOException ended) {
      throw new java.io.UncheckedIOException(ended);
    }
    inner.delete(path);
  }

  @Override
  public boolean isLocal() {
    return inner.isLocal();
  }

  @Override
  public Path createCheckpointDirectory() {
    return inner.createCheckpointDirectory();
  }

  @Override
  public void close() {
    inner.close();
  }

  private static class FencedStream extends CancellableFSDataOutputStream {
    private final CancellableFSDataOutputStream file;
    private final Path path;
    private boolean closed;

    FencedStream(CancellableFSDataOutputStream file, Path path, OutputStream out) {
      super(out);
      this.file = file;
      this.path = path;
    }

    @Override
    public void close() throws IOException {
      if (closed) return;
      closed = true;
      try {
        Fence.check(path);
      } catch (IOException ended) {
        file.cancel();
        throw ended;
      }
      super.close();
      closed();
    }

    /** Called once the file is complete. */
    protected void closed() throws IOException {}

    @Override
    public void cancel() {
      file.cancel();
    }
  }

  /** Adds the name of its file to a checksum file. */
  private static final class Naming extends ByteArrayOutputStream {
    private final OutputStream file;
    private final Path path;

    Naming(OutputStream file, Path path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public void close() throws IOException {
      file.write(StateChecksums.named(toByteArray(), path));
      file.close();
    }
  }
}
