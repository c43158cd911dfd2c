package org.compiledplan.kernel.host.versions;

/**
 * A version of Spark.
 *
 * @param major its major number
 * @param minor its minor number
 */
record SparkVersion(int major, int minor) {
  /** The version that runs this process. */
  static SparkVersion running() {
    return of(org.apache.spark.package$.MODULE$.SPARK_VERSION());
  }

  /**
   * @param text such as "4.3.0"
   */
  static SparkVersion of(String text) {
    String[] numbers = text.split("[^0-9]", 3);
    return new SparkVersion(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
  }

  /** Returns true for 4.{@code minor} and newer versions. */
  boolean since(int minor) {
    return major > 4 || major == 4 && this.minor >= minor;
  }
}
