package org.compiledplan.kernel.userfunctions.flink;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.compiledplan.kernel.userfunctions.FunctionSpec;

/** A call of a plan as Flink's type inference sees it. */
record PlanCall(
    DataTypeFactory types,
    FunctionDefinition definition,
    FunctionSpec spec,
    List<DataType> arguments)
    implements CallContext {

  @Override
  public DataTypeFactory getDataTypeFactory() {
    return types;
  }

  @Override
  public FunctionDefinition getFunctionDefinition() {
    return definition;
  }

  @Override
  public boolean isArgumentLiteral(int at) {
    return spec.literals().get(at) != null || isArgumentNull(at);
  }

  @Override
  public boolean isArgumentNull(int at) {
    return spec.arguments().get(at).equals("NULL");
  }

  @Override
  public <T> Optional<T> getArgumentValue(int at, Class<T> type) {
    String text = spec.literals().get(at);
    Object value = text == null ? null : value(text, type);
    return value == null ? Optional.empty() : Optional.of(type.cast(value));
  }

  private static Object value(String text, Class<?> type) {
    try {
      if (type == String.class) return text;
      if (type == Boolean.class) return Boolean.valueOf(text);
      if (type == Byte.class) return Byte.valueOf(text);
      if (type == Short.class) return Short.valueOf(text);
      if (type == Integer.class) return Integer.valueOf(text);
      if (type == Long.class) return Long.valueOf(text);
      if (type == Float.class) return Float.valueOf(text);
      if (type == Double.class) return Double.valueOf(text);
      return type == BigDecimal.class ? new BigDecimal(text) : null;
    } catch (NumberFormatException error) {
      return null;
    }
  }

  @Override
  public String getName() {
    return spec.name();
  }

  @Override
  public List<DataType> getArgumentDataTypes() {
    return arguments;
  }

  @Override
  public Optional<DataType> getOutputDataType() {
    return Optional.empty();
  }

  @Override
  public boolean isGroupedAggregation() {
    return spec.kind().equals("AGGREGATE");
  }
}
