package org.compiledplan.kernel.functions;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.api.java.UDF3;
import org.apache.spark.sql.api.java.UDF4;
import org.apache.spark.sql.api.java.UDF5;
import org.apache.spark.sql.api.java.UDF6;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;

/** Entry point for Python: a named function applied to columns. */
public final class Functions {
  private Functions() {}

  /**
   * A call of a function.
   *
   * @param name a name in {@link Registry}
   * @param returns type of the result in Spark DDL
   * @param options constants passed to the function once per task
   * @param arguments up to six columns
   */
  public static Column column(String name, String returns, String[] options, Column[] arguments) {
    Registry.require(name);
    Invocation invocation = new Invocation(name, options);
    DataType type = DataType.fromDDL(returns);
    UserDefinedFunction function =
        switch (arguments.length) {
          case 0 -> functions.udf((UDF0<Object>) invocation, type);
          case 1 -> functions.udf((UDF1<Object, Object>) invocation, type);
          case 2 -> functions.udf((UDF2<Object, Object, Object>) invocation, type);
          case 3 -> functions.udf((UDF3<Object, Object, Object, Object>) invocation, type);
          case 4 -> functions.udf((UDF4<Object, Object, Object, Object, Object>) invocation, type);
          case 5 ->
              functions.udf(
                  (UDF5<Object, Object, Object, Object, Object, Object>) invocation, type);
          case 6 ->
              functions.udf(
                  (UDF6<Object, Object, Object, Object, Object, Object, Object>) invocation, type);
          default ->
              throw new IllegalArgumentException(name + " with " + arguments.length + " arguments");
        };
    if (Registry.isRandom(name)) function = function.asNondeterministic();
    return function.withName(name).apply(arguments);
  }

  /** One function with its constants; its body is created where it runs. */
  private static final class Invocation
      implements UDF0<Object>,
          UDF1<Object, Object>,
          UDF2<Object, Object, Object>,
          UDF3<Object, Object, Object, Object>,
          UDF4<Object, Object, Object, Object, Object>,
          UDF5<Object, Object, Object, Object, Object, Object>,
          UDF6<Object, Object, Object, Object, Object, Object, Object> {
    // Part of released checkpoints, which contain join conditions as serialized objects.
    private static final long serialVersionUID = 1L;

    private final String name;
    private final String[] options;
    private transient Body body;

    Invocation(String name, String[] options) {
      this.name = name;
      this.options = options;
    }

    private Object run(Object... values) {
      try {
        if (body == null) body = Registry.make(name, options);
        return body.call(values);
      } catch (FunctionException e) {
        throw e;
      } catch (Exception e) {
        throw new FunctionException(name, values, e);
      }
    }

    @Override
    public Object call() {
      return run();
    }

    @Override
    public Object call(Object a) {
      return run(a);
    }

    @Override
    public Object call(Object a, Object b) {
      return run(a, b);
    }

    @Override
    public Object call(Object a, Object b, Object c) {
      return run(a, b, c);
    }

    @Override
    public Object call(Object a, Object b, Object c, Object d) {
      return run(a, b, c, d);
    }

    @Override
    public Object call(Object a, Object b, Object c, Object d, Object e) {
      return run(a, b, c, d, e);
    }

    @Override
    public Object call(Object a, Object b, Object c, Object d, Object e, Object f) {
      return run(a, b, c, d, e, f);
    }
  }
}
