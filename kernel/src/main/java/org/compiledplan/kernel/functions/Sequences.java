package org.compiledplan.kernel.functions;

/**
 * Random access to the sequences of {@link java.util.Random}, which Flink's RAND with a seed
 * returns row by row. The generator is a linear congruential one, so skipping any number of steps
 * is as fast as skipping a few.
 */
final class Sequences {
  private static final long MULTIPLIER = 0x5DEECE66DL;
  private static final long INCREMENT = 0xBL;
  private static final long MASK = (1L << 48) - 1;

  private Sequences() {}

  static void register() {
    Registry.strict("RAND_AT", a -> nextDouble((Integer) a[0], (Long) a[1]));
    Registry.strict("RAND_INTEGER_AT", a -> nextInt((Integer) a[0], (Long) a[1], (Integer) a[2]));
  }

  /** Returns the result of {@code nextDouble()} after {@code before} calls. */
  static double nextDouble(int seed, long before) {
    long state = after(seed, 2 * before);
    long high = next(state) >>> 22;
    long low = next(next(state)) >>> 21;
    return ((high << 27) + low) * 0x1.0p-53;
  }

  /**
   * Returns the result of {@code nextInt(bound)} after {@code before} calls that took one step
   * each. One call in about 2^31 / bound takes another step; from then on the sequence differs from
   * Java's.
   */
  static int nextInt(int seed, long before, int bound) {
    if (bound <= 0)
      throw new IllegalArgumentException(
          "the bound of RAND_INTEGER must be positive, not " + bound);
    long state = next(after(seed, before));
    int bits = (int) (state >>> 17);
    int max = bound - 1;
    if ((bound & max) == 0) return (int) ((bound * (long) bits) >> 31);
    int number = bits % bound;
    while (bits - number + max < 0) {
      state = next(state);
      bits = (int) (state >>> 17);
      number = bits % bound;
    }
    return number;
  }

  private static long next(long state) {
    return (state * MULTIPLIER + INCREMENT) & MASK;
  }

  private static long after(int seed, long steps) {
    long multiplier = MULTIPLIER;
    long increment = INCREMENT;
    long state = (seed ^ MULTIPLIER) & MASK;
    for (long left = steps; left != 0; left >>>= 1) {
      if ((left & 1) != 0) state = (state * multiplier + increment) & MASK;
      increment = (increment * (multiplier + 1)) & MASK;
      multiplier = (multiplier * multiplier) & MASK;
    }
    return state;
  }
}
