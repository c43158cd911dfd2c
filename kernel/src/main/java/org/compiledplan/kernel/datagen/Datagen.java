package org.compiledplan.kernel.datagen;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.DataType;
import org.compiledplan.kernel.formats.base.Calls;

/** Entry point for Python: generated rows as a column. */
public final class Datagen {
  private Datagen() {}

  /**
   * A struct of generated values.
   *
   * @param spec what to generate, see {@link Generator}
   * @param seed seed of the random values
   * @param ddl type of the struct
   * @param number BIGINT, the row's number
   * @param now BIGINT, the time in microseconds since 1970
   */
  public static Column row(String spec, long seed, String ddl, Column number, Column now) {
    return Calls.columnInOrder(
        new Generator(spec, seed), Generator.class, "row", DataType.fromDDL(ddl), number, now);
  }
}
