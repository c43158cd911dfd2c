package org.compiledplan.kernel.host;

/**
 * A session option that says how many bytes something may take.
 *
 * @param name of the option
 * @param otherwise what holds where it is not set
 */
record ByteOption(String name, long otherwise) {
  /**
   * How many they are.
   *
   * @param given what it is set to, null if it is not
   * @throws IllegalArgumentException if that is no such number
   */
  long of(String setting) {
    if (setting == null) return otherwise;
    try {
      long bytes = Long.parseLong(setting);
      if (bytes >= 0) return bytes;
    } catch (NumberFormatException refused) {
      // The message below says more.
    }
    throw new IllegalArgumentException(
        name + "=" + setting + ": a number of bytes is needed, such as " + otherwise);
  }
}
