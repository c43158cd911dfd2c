package org.compiledplan.kernel.functions;

import scala.collection.Iterator;
import scala.collection.Seq;

/** Functions on arrays and on values of any type. */
final class Collections {
  private Collections() {}

  static void register() {
    Registry.strict("HASH_CODE", a -> a[0].hashCode());
    Registry.strict("HASH_TIMESTAMP", a -> hashTimestamp((Long) a[0]));
    Registry.plain("ARRAY_JOIN", Collections::join);
  }

  /** Hash of the milliseconds, then of the remaining nanoseconds. */
  private static int hashTimestamp(long micros) {
    return 31 * Long.hashCode(Math.floorDiv(micros, 1000L))
        + (int) Math.floorMod(micros, 1000L) * 1000;
  }

  /** Null elements are omitted, or written as the third argument. */
  private static Object join(Object[] a) {
    if (a[0] == null || a[1] == null || a.length > 2 && a[2] == null) return null;
    StringBuilder result = new StringBuilder();
    boolean first = true;
    for (Iterator<?> items = ((Seq<?>) a[0]).iterator(); items.hasNext(); ) {
      Object item = items.next();
      if (item == null && a.length > 2) item = a[2];
      if (item != null) {
        result.append(first ? "" : a[1]).append(item);
        first = false;
      }
    }
    return result.toString();
  }
}
