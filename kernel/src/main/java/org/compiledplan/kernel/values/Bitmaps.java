package org.compiledplan.kernel.values;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.roaringbitmap.RoaringBitmap;

/**
 * Values of type BITMAP: the portable serialization of a Roaring bitmap, as in Flink. Runs are
 * always compressed, so that equal bitmaps have equal bytes.
 */
public final class Bitmaps {
  private Bitmaps() {}

  public static RoaringBitmap read(byte[] bytes) {
    RoaringBitmap bitmap = new RoaringBitmap();
    try {
      bitmap.deserialize(ByteBuffer.wrap(bytes));
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException("the bytes are not a serialized bitmap: " + e, e);
    }
    return bitmap;
  }

  /** Returns the bytes of the bitmap, whose runs are compressed in place. */
  public static byte[] write(RoaringBitmap bitmap) {
    bitmap.runOptimize();
    ByteBuffer bytes = ByteBuffer.allocate(bitmap.serializedSizeInBytes());
    bitmap.serialize(bytes);
    return bytes.array();
  }

  /** Returns the members as unsigned numbers: {@code {1,2,4294967295}}. */
  public static String text(byte[] bytes) {
    return read(bytes).toString();
  }
}
