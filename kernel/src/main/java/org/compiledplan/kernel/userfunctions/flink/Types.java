package org.compiledplan.kernel.userfunctions.flink;

import java.security.CodeSource;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.catalog.UnresolvedIdentifier;
import org.apache.flink.table.types.AbstractDataType;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.UnresolvedDataType;
import org.apache.flink.table.types.extraction.DataTypeExtractor;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.table.types.utils.TypeInfoDataTypeConverter;

/** Types by name, class or type information, without a catalog. */
final class Types implements DataTypeFactory {
  /** Quoted names and texts, or the type of an empty literal. */
  private static final Pattern EMPTY =
      Pattern.compile("`(?:[^`]|``)*`|'(?:[^']|'')*'|\\b((?:VAR)?(?:CHAR|BINARY))\\(0\\)");

  private final ClassLoader loader;
  private final CodeSource source;

  Types(ClassLoader loader, CodeSource source) {
    this.loader = loader;
    this.source = source;
  }

  @Override
  public ClassLoader getClassLoader() {
    return loader;
  }

  @Override
  public DataType createDataType(AbstractDataType<?> type) {
    if (type instanceof DataType) return (DataType) type;
    return ((UnresolvedDataType) type).toDataType(this);
  }

  @Override
  public DataType createDataType(String type) {
    return TypeConversions.fromLogicalToDataType(createLogicalType(type));
  }

  @Override
  public DataType createDataType(UnresolvedIdentifier identifier) {
    throw noCatalog(identifier);
  }

  @Override
  public <T> DataType createDataType(Class<T> type) {
    return DataTypeExtractor.extractFromType(this, type);
  }

  @Override
  public <T> DataType createDataType(TypeInformation<T> type) {
    return TypeInfoDataTypeConverter.toDataType(this, type);
  }

  @Override
  public <T> DataType createRawDataType(Class<T> type) {
    return DataTypes.RAW(type, new RawSerializer<>(type, loader, source));
  }

  @Override
  public <T> DataType createRawDataType(TypeInformation<T> type) {
    if (type instanceof GenericTypeInfo) return createRawDataType(type.getTypeClass());
    return DataTypes.RAW(type.getTypeClass(), type.createSerializer(new SerializerConfigImpl()));
  }

  @Override
  public LogicalType createLogicalType(String type) {
    // The parser refuses the length 0, which a type of Flink's plans may have.
    String text =
        EMPTY
            .matcher(type)
            .replaceAll(
                part ->
                    Matcher.quoteReplacement(
                        part.group(1) == null ? part.group() : part.group(1) + "(1)"));
    return LogicalTypeParser.parse(text, loader);
  }

  @Override
  public LogicalType createLogicalType(UnresolvedIdentifier identifier) {
    throw noCatalog(identifier);
  }

  private static ValidationException noCatalog(UnresolvedIdentifier identifier) {
    return new ValidationException("there is no type " + identifier.asSummaryString());
  }
}
