package org.compiledplan.kernel.files;

import java.io.ByteArrayInputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;

/** Bytes in memory as a file. */
public final class MemoryFile extends FSInputStream {
  private final byte[] bytes;
  private ByteArrayInputStream stream;

  private MemoryFile(byte[] bytes) {
    this.bytes = bytes;
    this.stream = new ByteArrayInputStream(bytes);
  }

  public static FSDataInputStream open(byte[] bytes) {
    return new FSDataInputStream(new MemoryFile(bytes));
  }

  @Override
  public int read() {
    return stream.read();
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    return stream.read(target, offset, length);
  }

  @Override
  public void seek(long position) {
    int at = Math.toIntExact(position);
    stream = new ByteArrayInputStream(bytes, at, bytes.length - at);
  }

  @Override
  public long getPos() {
    return bytes.length - stream.available();
  }

  @Override
  public boolean seekToNewSource(long position) {
    return false;
  }
}
