package org.compiledplan.kernel.functions;

import java.util.function.BiConsumer;
import org.compiledplan.kernel.values.Bitmaps;
import org.roaringbitmap.RoaringBitmap;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Functions on bitmaps, which are passed as their bytes. */
final class BitmapFunctions {
  private BitmapFunctions() {}

  static void register() {
    Registry.strict("BITMAP_BUILD", a -> build((Seq<?>) a[0]));
    Registry.strict("BITMAP_FROM_BYTES", a -> Bitmaps.write(Bitmaps.read((byte[]) a[0])));
    Registry.strict("BITMAP_TO_ARRAY", a -> Bitmaps.read((byte[]) a[0]).toArray());
    Registry.strict("BITMAP_TO_STRING", a -> Bitmaps.text((byte[]) a[0]));
    Registry.strict("BITMAP_CARDINALITY", a -> Bitmaps.read((byte[]) a[0]).getLongCardinality());
    combine("BITMAP_AND", (left, right) -> left.and(right));
    combine("BITMAP_ANDNOT", (left, right) -> left.andNot(right));
    combine("BITMAP_OR", (left, right) -> left.or(right));
    combine("BITMAP_XOR", (left, right) -> left.xor(right));
  }

  /** Registers an operation that changes its first operand. */
  private static void combine(String name, BiConsumer<RoaringBitmap, RoaringBitmap> operation) {
    Registry.strict(
        name,
        a -> {
          RoaringBitmap left = Bitmaps.read((byte[]) a[0]);
          operation.accept(left, Bitmaps.read((byte[]) a[1]));
          return Bitmaps.write(left);
        });
  }

  /** The bitmap of the elements; nulls are skipped. */
  private static byte[] build(Seq<?> elements) {
    RoaringBitmap bitmap = new RoaringBitmap();
    for (Iterator<?> items = elements.iterator(); items.hasNext(); ) {
      Object item = items.next();
      if (item != null) bitmap.add((int) (Integer) item);
    }
    return Bitmaps.write(bitmap);
  }
}
