package org.compiledplan.kernel.host;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.formats.base.Calls;
import org.compiledplan.kernel.userfunctions.Description;
import org.compiledplan.kernel.userfunctions.FunctionSpec;
import org.compiledplan.kernel.userfunctions.UserFunctions;
import org.compiledplan.kernel.values.ValueType;

/** Entry point for Python: user functions in Java, as columns. */
public final class JavaCalls {
  private static final String AGGREGATE = "org.apache.flink.table.functions.AggregateFunction";

  private JavaCalls() {}

  /**
   * Describes a function as JSON.
   *
   * @param spec the call as JSON, see {@link FunctionSpec}
   * @throws org.compiledplan.kernel.userfunctions.FunctionFailure if it cannot be called so
   */
  public static String describe(String spec) {
    Description description = UserFunctions.describe(FunctionSpec.of(spec));
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("kind", description.kind());
    json.put("deterministic", description.deterministic());
    description.methods().forEach(json.putArray("methods")::add);
    json.put("accumulatorText", description.accumulatorText());
    if (description.accumulator() != null) json.set("accumulator", type(description.accumulator()));
    return json.toString();
  }

  /** Returns true if a class is an aggregate function. */
  public static boolean isAggregate(String className) throws ClassNotFoundException {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    Class<?> at = Class.forName(className, false, loader);
    while (at != null && !at.getName().equals(AGGREGATE)) at = at.getSuperclass();
    return at != null;
  }

  /** A digest of a class's code without debug information; empty if it cannot be read. */
  public static String code(String className) {
    return UserFunctions.code(className);
  }

  private static ObjectNode type(ValueType type) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("kind", type.kind().name());
    json.put("precision", type.precision());
    json.put("scale", type.scale());
    for (ValueType child : type.children()) json.withArray("children").add(type(child));
    return json;
  }

  /**
   * A call of a scalar function; of a table function, the array of its rows.
   *
   * @param spec the call as JSON
   * @param types Spark's types of the arguments, as DDL
   * @param returns Spark's type of the result, as DDL
   * @param isPure true if Spark may repeat the call
   */
  public static Column column(
      String spec, String[] types, String returns, boolean isPure, Column[] arguments) {
    StructType schema = new StructType();
    for (int i = 0; i < types.length; i++) schema = schema.add("a" + i, DataType.fromDDL(types[i]));
    // A struct has a field at least.
    Column[] fields = arguments.length == 0 ? new Column[] {functions.lit(0)} : arguments;
    JavaCall call = new JavaCall(FunctionSpec.of(spec), schema, DataType.fromDDL(returns));
    Column struct = functions.struct(fields);
    DataType type = DataType.fromDDL(returns);
    return isPure
        ? Calls.column(call, JavaCall.class, "call", type, struct)
        : Calls.columnInOrder(call, JavaCall.class, "call", type, struct);
  }

  /** The array, or an array with one null if it is empty or null. */
  public static Column orNull(Column array, String type) {
    DataType elements = DataType.fromDDL(type);
    return Calls.column(
        new OrNull(), OrNull.class, "call", DataTypes.createArrayType(elements, true), array);
  }

  /** See {@link #orNull}. */
  public static final class OrNull implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    /** Returns the array, or an array with one null. */
    public ArrayData call(ArrayData array) {
      return array == null || array.numElements() == 0
          ? new GenericArrayData(new Object[] {null})
          : array;
    }
  }
}
