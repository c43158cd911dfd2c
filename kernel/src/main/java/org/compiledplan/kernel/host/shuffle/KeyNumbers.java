package org.compiledplan.kernel.host.shuffle;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.array.ByteArrayMethods;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Numbers keys in the order of their first occurrence. Their bytes are adjacent, and a table slot
 * alone distinguishes most keys, so that a lookup among many keys accesses memory in two places; a
 * map of objects accesses five.
 */
final class KeyNumbers {
  private static final int SEED = 42;
  private static final int FIRST_PLACES = 1 << 10;

  /** Upper half of a key's hash, and its number plus one; 0 for an empty slot. */
  private long[] places = new long[FIRST_PLACES];

  /** End of each key's bytes. */
  private int[] ends = new int[FIRST_PLACES];

  private byte[] bytes = new byte[FIRST_PLACES * 16];
  private int size;

  int size() {
    return size;
  }

  /** The number of a key; the previous {@link #size} if the key is new. */
  int of(UTF8String key) {
    int length = key.numBytes();
    long hash = XXH64.hashUnsafeBytes(key.getBaseObject(), key.getBaseOffset(), length, SEED);
    long tag = hash & 0xffffffff00000000L;
    int mask = places.length - 1;
    int at = (int) hash & mask;
    for (long place = places[at]; place != 0; place = places[at]) {
      if ((place & 0xffffffff00000000L) == tag && isAt((int) place - 1, key, length)) {
        return (int) place - 1;
      }
      at = (at + 1) & mask;
    }
    add(key, length);
    places[at] = tag | size;
    if (size * 2 > places.length) spread();
    return size - 1;
  }

  /** The key of a number, valid until the next key is added. */
  UTF8String key(int number) {
    int start = start(number);
    return UTF8String.fromBytes(bytes, start, ends[number] - start);
  }

  /** The {@link KeyOrder#prefix} of a key. */
  long prefix(int number) {
    int start = start(number);
    return KeyOrder.prefix(bytes, Platform.BYTE_ARRAY_OFFSET + start, ends[number] - start);
  }

  void clear() {
    Arrays.fill(places, 0);
    size = 0;
  }

  private int start(int number) {
    return number == 0 ? 0 : ends[number - 1];
  }

  private boolean isAt(int number, UTF8String key, int length) {
    int start = start(number);
    return ends[number] - start == length
        && ByteArrayMethods.arrayEquals(
            key.getBaseObject(),
            key.getBaseOffset(),
            bytes,
            Platform.BYTE_ARRAY_OFFSET + start,
            length);
  }

  private void add(UTF8String key, int length) {
    int start = start(size);
    int end = Math.addExact(start, length);
    if (end > bytes.length) bytes = Arrays.copyOf(bytes, Math.max(end, grown(bytes.length)));
    if (size == ends.length) ends = Arrays.copyOf(ends, grown(size));
    key.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + start);
    ends[size++] = end;
  }

  private static int grown(int length) {
    return (int) Math.min(2L * length, Integer.MAX_VALUE - 16);
  }

  private void spread() {
    long[] wider = new long[places.length * 2];
    int mask = wider.length - 1;
    for (int number = 0; number < size; number++) {
      int start = start(number);
      long hash =
          XXH64.hashUnsafeBytes(
              bytes, Platform.BYTE_ARRAY_OFFSET + start, ends[number] - start, SEED);
      int at = (int) hash & mask;
      while (wider[at] != 0) at = (at + 1) & mask;
      wider[at] = (hash & 0xffffffff00000000L) | (number + 1);
    }
    places = wider;
  }
}
