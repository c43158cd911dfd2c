package org.compiledplan.kernel.host.runtime;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.DeserializeToObject;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapGroupsWithState;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MapPartitions;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SerializeFromObject;
import org.apache.spark.sql.catalyst.plans.logical.TransformWithState;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.formats.base.Calls;
import org.compiledplan.kernel.host.spark.Plans;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Passes Spark's internal rows into a stage and out of it. Spark's encoders would create an object
 * per value, even of columns that no operator reads: a third of an aggregate's time, and much code
 * to compile in the first micro-batch.
 */
public final class InternalRows implements Serializable {
  /**
   * An optimizer rule that would take fields out of the kernel's structs, in a plan that does not
   * show how they are built.
   */
  public static final String NESTED_PRUNING =
      "spark.sql.optimizer.serializer.nestedSchemaPruning.enabled";

  /** Position of the struct in packed rows, behind the columns of {@link StageKeys}. */
  public static final int PACKED = 2;

  private static final String ROW = "row";

  private InternalRows() {}

  /** Rows for {@link #unpacked}: the grouping key, and all other columns as one struct. */
  public static Dataset<Row> packed(Dataset<Row> input, StructType schema) {
    Column[] key = StageKeys.columns();
    return input.select(key[0], key[1], functions.struct(columnsOf(schema.fieldNames())).as(ROW));
  }

  /**
   * Maps packed rows, a partition at a time, as rows of the three columns; an input row is valid
   * until the next one is read.
   */
  public static Dataset<Row> mapped(
      Dataset<Row> packed, Function1<Iterator<Object>, Iterator<Object>> change) {
    LogicalPlan input = Plans.analyzed(packed);
    DataType any = new ObjectType(InternalRow.class);
    Expression[] attributes =
        CollectionConverters.asJava(input.output()).toArray(new Expression[0]);
    // Also called if the key is null.
    Expression grouped =
        Calls.invoke(
            new InternalRows(),
            InternalRows.class,
            "grouped",
            any,
            List.of(attributes),
            false,
            true);
    LogicalPlan objects = new DeserializeToObject(grouped, object(any), input);
    LogicalPlan changed = new MapPartitions(change, object(any), objects);
    return Plans.frame(packed, new SerializeFromObject(columns(packed.schema(), any), changed));
  }

  private static Attribute object(DataType type) {
    return new AttributeReference(
        "obj", type, true, Metadata.empty(), NamedExpression.newExprId(), none());
  }

  /** Columns of rows that the kernel created. */
  private static Seq<NamedExpression> columns(StructType schema, DataType object) {
    // Like Spark's own serializers: wide rows, which are excluded from whole-stage code generation,
    // are not bound again.
    Expression struct = new BoundReference(0, object, true);
    List<NamedExpression> columns = new ArrayList<>();
    for (StructField field : schema.fields()) {
      Expression value =
          call("get", field.dataType(), struct, new Literal(columns.size(), DataTypes.IntegerType));
      columns.add(
          new Alias(
              value, field.name(), NamedExpression.newExprId(), none(), Option.empty(), none()));
    }
    return CollectionConverters.asScala(columns).toSeq();
  }

  /** Returns true if the columns are those of {@link #packed} rows. */
  public static boolean arePacked(Seq<Attribute> columns) {
    List<Attribute> attributes = CollectionConverters.asJava(columns);
    return attributes.size() == 3
        && attributes.get(0).name().equals(StageKeys.schema().fieldNames()[0])
        && attributes.get(1).name().equals(StageKeys.schema().fieldNames()[1])
        && attributes.get(2).name().equals(ROW);
  }

  /**
   * The output of a grouped operator over packed rows. Spark plans it for {@link Row}s; here it
   * reads and returns internal rows: its input is the struct, its output has the columns of {@code
   * schema}.
   */
  public static Dataset<Row> unpacked(Dataset<InternalRow> typed, StructType schema) {
    LogicalPlan operator = ((SerializeFromObject) Plans.analyzed(typed)).child();
    Attribute object = object(new ObjectType(InternalRow.class));
    LogicalPlan plan =
        new SerializeFromObject(columns(schema, object.dataType()), replaced(operator, object));
    return Plans.frame(typed, plan);
  }

  /**
   * Placeholder for an encoder of internal rows in Spark's interface; {@link #unpacked} replaces
   * it.
   */
  @SuppressWarnings("unchecked")
  public static Encoder<InternalRow> placeholder(Encoder<Row> any) {
    return (Encoder<InternalRow>) (Encoder<?>) any;
  }

  private static LogicalPlan replaced(LogicalPlan operator, Attribute object) {
    if (operator instanceof TransformWithState node) {
      Attribute row = row(node.dataAttributes());
      return new TransformWithState(
          node.keyDeserializer(),
          call("copy", object.dataType(), row),
          node.groupingAttributes(),
          node.dataAttributes(),
          node.statefulProcessor(),
          node.timeMode(),
          node.outputMode(),
          node.keyEncoder(),
          object,
          node.child(),
          node.hasInitialState(),
          node.initialStateGroupingAttrs(),
          node.initialStateDataAttrs(),
          node.initialStateDeserializer(),
          node.initialState());
    }
    FlatMapGroupsWithState node = (FlatMapGroupsWithState) operator;
    Attribute row = row(node.dataAttributes());
    return new FlatMapGroupsWithState(
        node.func(),
        node.keyDeserializer(),
        call("copy", object.dataType(), row),
        node.groupingAttributes(),
        node.dataAttributes(),
        object,
        node.stateEncoder(),
        node.outputMode(),
        node.isMapGroupsWithState(),
        node.timeout(),
        node.hasInitialState(),
        node.initialStateGroupAttrs(),
        node.initialStateDataAttrs(),
        node.initialStateDeserializer(),
        node.initialState(),
        node.child());
  }

  private static Attribute row(Seq<Attribute> attributes) {
    return CollectionConverters.asJava(attributes).stream()
        .filter(item -> item.name().equals(ROW))
        .findFirst()
        .get();
  }

  private static Expression call(String method, DataType returns, Expression... arguments) {
    return call(new InternalRows(), method, returns, true, arguments);
  }

  private static Expression call(
      Object on, String method, DataType returns, boolean isPure, Expression... arguments) {
    return Calls.invoke(on, on.getClass(), method, returns, List.of(arguments), true, isPure);
  }

  /**
   * Maps columns of each row to a struct with a method of a serializable object, and returns the
   * struct's fields as columns; rows mapped to null are dropped. The method is called once per row.
   */
  public static Dataset<Row> converted(
      Dataset<Row> rows, Serializable on, String method, StructType schema, String... columns) {
    LogicalPlan input = Plans.analyzed(rows.select(columnsOf(columns)));
    Expression[] arguments = CollectionConverters.asJava(input.output()).toArray(new Expression[0]);
    // Marked nondeterministic so that it is not evaluated again for each field of its result.
    Expression call = call(on, method, schema, false, arguments);
    List<NamedExpression> result =
        List.of(new Alias(call, ROW, NamedExpression.newExprId(), none(), Option.empty(), none()));
    Dataset<Row> structs =
        Plans.frame(rows, new Project(CollectionConverters.asScala(result).toSeq(), input));
    return structs.where(column(ROW).isNotNull()).select(ROW + ".*");
  }

  private static Column[] columnsOf(String... names) {
    return Arrays.stream(names).map(InternalRows::column).toArray(Column[]::new);
  }

  /** A copy of the row: Spark reuses the row that it passes. */
  public InternalRow copy(InternalRow row) {
    return row.copy();
  }

  /** A row of the three columns of packed rows. */
  public InternalRow grouped(UTF8String key, UTF8String op, InternalRow row) {
    return new GenericInternalRow(new Object[] {key, op, row});
  }

  /** The value at a position of a row that the kernel created. */
  public Object get(InternalRow row, int at) {
    return ((GenericInternalRow) row).genericGet(at);
  }

  private static Column column(String name) {
    return new Column("`" + name + "`");
  }

  private static <T> Seq<T> none() {
    return CollectionConverters.asScala(List.<T>of()).toSeq();
  }
}
