package org.compiledplan.kernel.host;

import org.apache.spark.unsafe.array.LongArray;
import org.apache.spark.unsafe.memory.MemoryBlock;
import org.apache.spark.util.collection.unsafe.sort.RadixSort;

/**
 * The order of many keys: about that in which a store of state has them, by length and then by
 * their first bytes. Neighbours are found in memory that the one before has brought to the
 * processor, where keys in the order of rows are each somewhere else.
 */
final class KeyOrder {
  /** Fewer keys stay in the order in which they came: what is found of them is near anyway. */
  static final int FROM = 1 << 12;

  /** What sorting a key takes of memory. */
  static final int BYTES_A_KEY = 4 * Long.BYTES;

  private KeyOrder() {}

  /** Positions of keys, those that are stored before others first. */
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
