package org.compiledplan.kernel.lines;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.Decompressor;
import org.compiledplan.kernel.formats.DataException;

/**
 * The lines of a part of a file: those that begin in it. Lines end with a line feed, the last one
 * may do without; a byte order mark at the file's start is no part of them. A file that its name
 * says is compressed has one part.
 */
final class Lines implements Closeable {
  private static final int BUFFER_BYTES = 1 << 17;
  private static final int MOST_BYTES = Integer.MAX_VALUE - 8;
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;
  private Decompressor decompressor;

  /** Where the part ends, in bytes of the file. */
  private final long end;

  private byte[] buffer = new byte[BUFFER_BYTES];

  /** Of the file, where the buffer begins. */
  private long base;

  /** Whether the next line has the file's mark in front of it. */
  private boolean marked;

  private int filled;
  private int next;
  private int from;
  private int to;

  private Lines(InputStream in, Decompressor decompressor, long start, long end) {
    this.in = in;
    this.decompressor = decompressor;
    this.base = start;
    this.end = end;
  }

  /** The compression of a file, by its name; null for none. */
  static CompressionCodec codec(Path path, Configuration conf) {
    return new CompressionCodecFactory(conf).getCodec(path);
  }

  /** Opens a part of a file: so many bytes from one on. */
  static Lines open(Path path, Configuration conf, long start, long length) throws IOException {
    FSDataInputStream file = path.getFileSystem(conf).open(path);
    try {
      CompressionCodec codec = codec(path, conf);
      if (codec != null) {
        Decompressor decompressor = CodecPool.getDecompressor(codec);
        InputStream in = codec.createInputStream(file, decompressor);
        return new Lines(in, decompressor, 0, Long.MAX_VALUE).atStart();
      }
      // A line that ends where the part begins is of the part before, and tells where ours begins.
      long first = Math.max(0, start - 1);
      file.seek(first);
      Lines lines = new Lines(file, null, first, start + length);
      if (start > 0) {
        lines.find();
        return lines;
      }
      return lines.atStart();
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private Lines atStart() throws IOException {
    while (filled < MARK.length && fill()) {}
    if (filled >= MARK.length && Arrays.equals(buffer, 0, MARK.length, MARK, 0, MARK.length)) {
      next = MARK.length;
      marked = true;
    }
    return this;
  }

  /** Goes to the next line; false where there is none. */
  boolean advance() throws IOException {
    // The first line begins with the mark, which may be longer than the part.
    boolean ours = marked || base + next < end;
    marked = false;
    return ours && find();
  }

  /** What holds the line, until the next one is gone to. */
  byte[] bytes() {
    return buffer;
  }

  /** The first byte of the line. */
  int from() {
    return from;
  }

  /** Behind the last byte of the line. */
  int to() {
    return to;
  }

  /** Of the file, where the line begins. */
  long position() {
    return base + from;
  }

  private boolean find() throws IOException {
    int at = next;
    while (true) {
      byte[] bytes = buffer;
      int last = filled;
      while (at < last && bytes[at] != '\n') at++;
      if (at < last) {
        from = next;
        to = at;
        next = at + 1;
        return true;
      }
      at -= next;
      drop();
      if (!fill()) break;
    }
    if (filled == next) return false;
    from = next;
    to = filled;
    next = filled;
    return true;
  }

  /** Has the line that is not read to its end begin the buffer. */
  private void drop() {
    if (next > 0) {
      System.arraycopy(buffer, next, buffer, 0, filled - next);
      base += next;
      filled -= next;
      next = 0;
    }
    if (filled == buffer.length) {
      if (filled == MOST_BYTES) {
        throw new DataException("a line is longer than " + MOST_BYTES + " bytes");
      }
      buffer = Arrays.copyOf(buffer, (int) Math.min(2L * filled, MOST_BYTES));
    }
  }

  private boolean fill() throws IOException {
    int read = in.read(buffer, filled, buffer.length - filled);
    if (read > 0) filled += read;
    return read >= 0;
  }

  @Override
  public void close() throws IOException {
    try {
      in.close();
    } finally {
      if (decompressor != null) CodecPool.returnDecompressor(decompressor);
      decompressor = null;
    }
  }
}
