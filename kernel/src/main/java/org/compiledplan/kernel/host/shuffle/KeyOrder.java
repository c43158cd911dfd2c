package org.compiledplan.kernel.host.shuffle;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.LongArray;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.apache.spark.util.collection.unsafe.sort.RadixSort;

/**
 * Order of many keys, close to that of the state store: by length, then by their first bytes.
 * Adjacent keys are then likely in the processor's cache; in row order each key is somewhere else
 * in memory.
 */
final class KeyOrder {
  /** Fewer keys stay in order of arrival: their data fits into the cache anyway. */
  static final int FROM = 1 << 12;

  /** Memory in bytes for sorting a key. */
  static final int BYTES_PER_KEY = 4 * Long.BYTES;

  private KeyOrder() {}

  /** A key's length and first bytes, as an unsigned number. */
  static long prefix(Object base, long offset, int length) {
    long prefix = Math.min(length, 255);
    for (int i = 0; i < Long.BYTES - 1; i++) {
      prefix = prefix << Byte.SIZE | (i < length ? Platform.getByte(base, offset + i) & 255 : 0);
    }
    return prefix;
  }

  /** Positions of keys in the store's order. */
  static int[] of(KeyNumbers keys) {
    int size = keys.size();
    LongArray pairs =
        new LongArray(MemoryBlock.fromLongArray(new long[Math.multiplyExact(size, 4)]));
    for (int i = 0; i < size; i++) {
      pairs.set(2 * i, i);
      pairs.set(2 * i + 1, keys.prefix(i));
    }
    int at = RadixSort.sortKeyPrefixArray(pairs, 0, size, 0, Long.BYTES - 1, false, false);
    int[] order = new int[size];
    for (int i = 0; i < size; i++) order[i] = (int) pairs.get(at + 2 * i);
    return order;
  }
}
