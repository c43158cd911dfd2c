package org.compiledplan.kernel.host;

import java.io.Serializable;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.userfunctions.FunctionSpec;
import org.compiledplan.kernel.userfunctions.TaskFunction;
import org.compiledplan.kernel.userfunctions.UserFunction;

/** A call of a user function in an expression; each task has its own copy. */
public final class JavaCall implements Serializable {
  // Part of checkpoints, which contain join conditions as serialized objects.
  private static final long serialVersionUID = 1L;

  private final FunctionSpec spec;
  private final StructType arguments;
  private final DataType returns;
  private transient TaskFunction function;
  private transient SparkTypes.Reader[] readers;
  private transient UnaryOperator<Object> toSpark;

  JavaCall(FunctionSpec spec, StructType arguments, DataType returns) {
    this.spec = spec;
    this.arguments = arguments;
    this.returns = returns;
  }

  /** Returns the result for a row of arguments, in Spark's internal form. */
  public Object call(InternalRow row) {
    if (readers == null) {
      toSpark = SparkTypes.toSpark(new StructType().add("result", returns)).get(0);
      readers = SparkTypes.fromSpark(arguments);
    }
    if (function == null) function = new TaskFunction(spec);
    Object[] values = SparkTypes.values(row, readers);
    UserFunction open = function.get();
    Object result = spec.kind().equals("TABLE") ? open.rows(values) : open.call(values);
    return SparkTypes.apply(toSpark, result);
  }
}
