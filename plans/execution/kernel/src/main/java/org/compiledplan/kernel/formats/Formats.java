package org.compiledplan.kernel.formats;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The entry from Python: formats as columns. The objects are called with Spark's internal values, which spares the
 * conversions of a user-defined function.
 */
public final class Formats {
    private static final StructField KIND = DataTypes.createStructField("kind", DataTypes.ByteType, false);
    private static final StructField SUFFIX = DataTypes.createStructField("suffix", DataTypes.BinaryType, true);

    private Formats() {}

    /** A struct of the columns of a JSON line, null for a line without a row. */
    public static Column jsonRow(String table, String shape, Map<String, String> options, Column line) {
        return row(new JsonDecoder(table, shape, options), shape, line);
    }

    /** An array of structs of kind, path suffix, columns and metadata, the changes of a line of debezium-json. */
    public static Column debeziumChanges(
            String table, String shape, Map<String, String> options, List<String> metadata, Column line) {
        StructType columns = (StructType) Shape.parse(shape).spark();
        StructField[] fields = new StructField[2 + columns.length() + metadata.size()];
        fields[0] = KIND;
        fields[1] = SUFFIX;
        System.arraycopy(columns.fields(), 0, fields, 2, columns.length());
        for (int i = 0; i < metadata.size(); i++) {
            fields[2 + columns.length() + i] =
                    DataTypes.createStructField("m" + i, metadataType(metadata.get(i)), true);
        }
        DataType type = DataTypes.createArrayType(DataTypes.createStructType(fields), false);
        Decoder decoder = new DebeziumDecoder(table, shape, options, metadata.toArray(new String[0]));
        return invoke(decoder, Decoder.class, "changes", type, line);
    }

    private static DataType metadataType(String key) {
        return switch (key) {
            case "ingestion-timestamp", "source.timestamp" -> DataTypes.TimestampType;
            case "source.properties" -> DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType, true);
            default -> DataTypes.StringType;
        };
    }

    /** The JSON line of a struct; `events` for debezium-json, else the kind is not looked at. */
    public static Column jsonLine(
            String table, String shape, Map<String, String> options, boolean events, Column kind, Column row) {
        Encoder encoder = new JsonEncoder(table, shape, options, events);
        return invoke(encoder, Encoder.class, "line", DataTypes.StringType, kind, row);
    }

    private static Column row(Decoder decoder, String shape, Column line) {
        return invoke(decoder, Decoder.class, "row", Shape.parse(shape).spark(), line);
    }

    private static Column invoke(Object target, Class<?> type, String method, DataType returns, Column... arguments) {
        List<Expression> inputs = new java.util.ArrayList<>();
        for (Column argument : arguments) {
            inputs.add(ExpressionUtils.expression(argument));
        }
        Expression call = new Invoke(
                new Literal(target, new ObjectType(type)),
                method,
                returns,
                CollectionConverters.asScala(inputs).toSeq(),
                CollectionConverters.asScala(List.<org.apache.spark.sql.types.AbstractDataType>of()).toSeq(),
                false,
                true,
                true);
        return ExpressionUtils.column(call);
    }
}
