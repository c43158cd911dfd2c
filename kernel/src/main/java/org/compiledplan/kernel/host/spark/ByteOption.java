package org.compiledplan.kernel.host.spark;

/**
 * A session option with a size in bytes.
 *
 * @param name name of the option
 * @param fallback default in bytes
 */
public record ByteOption(String name, long fallback) {
  /**
   * Parses a setting.
   *
   * @param setting value of the option; null for the default
   * @return size in bytes
   * @throws IllegalArgumentException if the setting is not a valid number of bytes
   */
  public long of(String setting) {
    if (setting == null) return fallback;
    try {
      long bytes = Long.parseLong(setting);
      if (bytes >= 0) return bytes;
    } catch (NumberFormatException refused) {
      // The exception below names the option.
    }
    throw new IllegalArgumentException(
        name + "=" + setting + ": a number of bytes is needed, such as " + fallback);
  }
}
