package org.compiledplan.kernel.lines;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.compiledplan.kernel.formats.base.DataException;

/**
 * The lines of a part of a file: those that begin in it. Lines end with a line feed, optional for
 * the last one; a byte order mark at the file's start is not part of them. A file that is
 * compressed according to its name has one part.
 */
final class Lines implements Closeable {
  private static final int BUFFER_BYTES = 1 << 17;
  private static final int MOST_BYTES = Integer.MAX_VALUE - 8;
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final InputStream in;

  /** End of the part, in bytes of the file. */
  private final long end;

  private byte[] buffer = new byte[BUFFER_BYTES];

  /** Position of the buffer's start in the file. */
  private long base;

  /** True if the next line is preceded by the file's byte order mark. */
  private boolean marked;

  private int filled;
  private int next;
  private int from;
  private int to;

  private Lines(InputStream in, long start, long end) {
    this.in = in;
    this.base = start;
    this.end = end;
  }

  /** Opens a part of a file: {@code length} bytes from {@code start} on. */
  static Lines open(Path path, Configuration conf, long start, long length) throws IOException {
    FSDataInputStream file = path.getFileSystem(conf).open(path);
    try {
      Compression compression = Compression.of(path, conf);
      if (compression != null) {
        return new Lines(compression.open(file), 0, Long.MAX_VALUE).atStart();
      }
      // A line that ends where the part begins belongs to the previous part and marks the start of
      // the first one here.
      long first = Math.max(0, start - 1);
      file.seek(first);
      Lines lines = new Lines(file, first, start + length);
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

  /** Advances to the next line; returns false if there is none. */
  boolean advance() throws IOException {
    // The first line begins with the byte order mark, which may be longer than the part.
    boolean ours = marked || base + next < end;
    marked = false;
    return ours && find();
  }

  /** The buffer that contains the line, valid until the next advance. */
  byte[] bytes() {
    return buffer;
  }

  /** Position of the line's first byte in the buffer. */
  int from() {
    return from;
  }

  /** Position after the line's last byte in the buffer. */
  int to() {
    return to;
  }

  /** Position of the line in the file. */
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

  /** Moves the incomplete line to the start of the buffer. */
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
    in.close();
  }
}
