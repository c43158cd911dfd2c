package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Constructor;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.dataview.DataView;
import org.apache.flink.table.data.conversion.DataStructureConverter;
import org.apache.flink.table.data.conversion.DataStructureConverters;
import org.apache.flink.table.dataview.NullSerializer;
import org.apache.flink.table.runtime.functions.aggregate.BuiltInAggregateFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.StructuredType;
import org.apache.flink.table.types.utils.DataTypeUtils;

/** Types of the accumulators of Flink's aggregate functions, and of the views in them. */
final class AggregateTypes {
  private static final String PACKAGE = BuiltInAggregateFunction.class.getPackageName();

  private AggregateTypes() {}

  /** The type of an accumulator whose views are states of their own. */
  static LogicalType accumulator(JsonNode function) throws Refusal {
    return DataTypeUtils.transform(declared(function), AggregateTypes::withoutContent)
        .getLogicalType();
  }

  /** The type of the keys, values or elements of a view in an accumulator. */
  static DataType view(JsonNode view) throws Refusal {
    DataType accumulator = declared(view);
    int at = DataType.getFieldNames(accumulator).indexOf(view.get("field").asText());
    if (at < 0 || !isView(accumulator.getChildren().get(at))) {
      throw new Refusal("the accumulator of " + view + " has no such view", "", "");
    }
    List<DataType> parts = accumulator.getChildren().get(at).getChildren().get(0).getChildren();
    return parts.get(view.get("part").asText().equals("value") ? 1 : 0);
  }

  /** The accumulator as the function declares it. */
  private static DataType declared(JsonNode function) throws Refusal {
    String name = PACKAGE + "." + function.get("function").asText();
    LogicalType[] arguments = new LogicalType[function.get("arguments").size()];
    for (int at = 0; at < arguments.length; at++) {
      arguments[at] = Codecs.parsed(function.get("arguments").get(at).asText());
    }
    try {
      Constructor<?> constructor = Class.forName(name).getConstructors()[0];
      List<Class<?>> parameters = List.of(constructor.getParameterTypes());
      Object[] values = parameters.isEmpty() ? new Object[0] : new Object[] {arguments[0]};
      return ((BuiltInAggregateFunction<?, ?>) constructor.newInstance(values))
          .getAccumulatorDataType();
    } catch (ReflectiveOperationException | IllegalArgumentException error) {
      throw new Refusal("Flink has no aggregate function " + name + ": " + error, "", "");
    }
  }

  private static boolean isView(DataType type) {
    return type.getLogicalType() instanceof StructuredType structured
        && structured.getImplementationClass().filter(DataView.class::isAssignableFrom).isPresent();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // A serializer of nulls serves any class.
  private static DataType withoutContent(DataType type) {
    if (!isView(type)) return type;
    Class view = ((StructuredType) type.getLogicalType()).getImplementationClass().orElseThrow();
    return DataTypes.RAW(view, (TypeSerializer) NullSerializer.INSTANCE);
  }

  /** The type of distinct values, and of their counts: several are an array of primitives. */
  static DataType external(JsonNode type) {
    LogicalType logical = Codecs.parsed(type.asText());
    DataType internal = DataTypeUtils.toInternalDataType(logical);
    if (!(logical instanceof ArrayType)) return internal;
    DataType counts = DataTypes.ARRAY(DataTypes.BIGINT().notNull()).bridgedTo(long[].class);
    return logical.isNullable() ? counts : counts.notNull();
  }

  static Object toExternal(DataType type, Object internal) {
    DataStructureConverter<Object, Object> converter = DataStructureConverters.getConverter(type);
    converter.open(AggregateTypes.class.getClassLoader());
    return converter.toExternalOrNull(internal);
  }
}
