package org.compiledplan.kernel.flink.savepoint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;

/** A local file of a savepoint, read through a buffer. */
final class LocalFile implements StreamStateHandle {
  private static final long serialVersionUID = 1;
  private static final int BUFFER = 1 << 16;

  private final transient Path path;

  LocalFile(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  @Override
  public FSDataInputStream openInputStream() throws IOException {
    return new Buffered(FileChannel.open(path));
  }

  @Override
  public Optional<byte[]> asBytesIfInMemory() {
    return Optional.empty();
  }

  @Override
  public PhysicalStateHandleID getStreamStateHandleID() {
    return new PhysicalStateHandleID(path.toUri().toString());
  }

  @Override
  public void discardState() {
    throw new UnsupportedOperationException("a savepoint is read-only");
  }

  @Override
  public long getStateSize() {
    try {
      return Files.size(path);
    } catch (IOException error) {
      return 0;
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  /** A stream with random access; Flink reads numbers from it byte by byte. */
  private static final class Buffered extends FSDataInputStream {
    private final FileChannel channel;
    private final InputStream file;
    private final byte[] buffer = new byte[BUFFER];
    private long start;
    private int size;
    private int at;

    Buffered(FileChannel channel) {
      this.channel = channel;
      this.file = Channels.newInputStream(channel);
    }

    @Override
    public void seek(long position) throws IOException {
      if (position >= start && position <= start + size) {
        at = (int) (position - start);
      } else {
        if (position < 0 || position > channel.size()) {
          throw new IOException("no position " + position + " in a file of " + channel.size());
        }
        channel.position(position);
        start = position;
        size = 0;
        at = 0;
      }
    }

    @Override
    public long getPos() {
      return start + at;
    }

    @Override
    public int read() throws IOException {
      return at < size || fill() ? buffer[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (at == size && !fill()) {
        return -1;
      }
      int copied = Math.min(length, size - at);
      System.arraycopy(buffer, at, bytes, offset, copied);
      at += copied;
      return copied;
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(channel.size() - getPos(), Integer.MAX_VALUE);
    }

    private boolean fill() throws IOException {
      start += size;
      at = 0;
      size = Math.max(0, file.read(buffer, 0, BUFFER));
      return size > 0;
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
