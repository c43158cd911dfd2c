package org.compiledplan.kernel.host;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BasePredicate;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Predicate;
import org.apache.spark.sql.catalyst.expressions.Unevaluable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.StructType;
import org.compiledplan.kernel.host.spark.Plans;
import org.compiledplan.kernel.host.spark.SparkTypes;
import org.compiledplan.kernel.operators.base.RowPredicate;
import scala.jdk.javaapi.CollectionConverters;

/** Serialized join conditions: a Spark expression over both rows, bound to positions, as text. */
public final class Conditions {
  private Conditions() {}

  /** Content of the text. */
  private static final class Bound implements Serializable {
    // Part of released checkpoints, which contain conditions as serialized objects.
    private static final long serialVersionUID = 1L;
    final Expression expression;
    final StructType schema;

    Bound(Expression expression, StructType schema) {
      this.expression = expression;
      this.schema = schema;
    }
  }

  /**
   * Resolves, simplifies and binds a condition.
   *
   * @param sample any DataFrame with the columns of left ++ right under unique names; only its
   *     schema is used
   * @param condition a boolean column over those names
   * @return base64 text for a spec's condition
   * @throws IllegalArgumentException if the condition contains an expression that a stage cannot
   *     evaluate
   */
  public static String serialize(Dataset<Row> sample, Column condition) {
    return encode(
        new Bound(bound(sample, condition), (StructType) SparkTypes.nullable(sample.schema())));
  }

  /**
   * Resolves, simplifies and binds an expression.
   *
   * @param sample any DataFrame with its columns; only its schema is used
   * @throws IllegalArgumentException if a stage cannot evaluate it
   */
  public static Expression bound(Dataset<Row> sample, Column column) {
    SparkSession session = sample.sparkSession();
    Dataset<Row> rows =
        session.createDataFrame(
            new JavaSparkContext(session.sparkContext()).<Row>emptyRDD(),
            (StructType) SparkTypes.nullable(sample.schema()));
    LogicalPlan plan = Plans.of(rows.select(column.as("condition"))).optimizedPlan();
    if (!(plan instanceof Project)) {
      throw new IllegalArgumentException("a stage cannot evaluate " + column);
    }
    Expression expression = (Expression) ((Project) plan).projectList().head();
    if (expression instanceof Alias) expression = ((Alias) expression).child();
    refuseUnevaluable(expression);
    return bind(expression, CollectionConverters.asJava(Plans.analyzed(rows).output()));
  }

  /** The expression with position references in place of columns. */
  private static Expression bind(Expression expression, List<Attribute> columns) {
    if (!(expression instanceof Attribute)) {
      return expression.mapChildren(child -> bind(child, columns));
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).exprId().equals(((Attribute) expression).exprId())) {
        return new BoundReference(i, expression.dataType(), true);
      }
    }
    throw new IllegalArgumentException(
        "an expression in a stage refers to an unknown column " + expression);
  }

  private static void refuseUnevaluable(Expression expression) {
    expression.foreach(
        node -> {
          if (node instanceof Unevaluable && !(node instanceof Attribute)) {
            throw new IllegalArgumentException(
                "a stage cannot evaluate "
                    + node.prettyName()
                    + ": it can be computed in a column before the stage only");
          }
          return null;
        });
  }

  private static String encode(Bound bound) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(bound);
      }
      return Base64.getEncoder().encodeToString(bytes.toByteArray());
    } catch (IOException error) {
      throw new IllegalArgumentException("a join condition cannot be sent to the executors", error);
    }
  }

  /** Deserializes the result of {@link #serialize}. */
  public static RowPredicate load(String text) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(text))) {
          @Override
          protected Class<?> resolveClass(ObjectStreamClass type)
              throws IOException, ClassNotFoundException {
            try {
              return Class.forName(type.getName(), false, loader);
            } catch (ClassNotFoundException error) {
              return super.resolveClass(type);
            }
          }
        }) {
      return new Evaluated((Bound) in.readObject());
    } catch (IOException | ClassNotFoundException error) {
      throw new IllegalArgumentException("the text of a join condition cannot be read", error);
    }
  }

  /** A condition compiled by Spark. Only the columns that it references are converted. */
  private static final class Evaluated implements RowPredicate {
    private final BasePredicate predicate;
    private final int[] used;
    private final List<UnaryOperator<Object>> toSpark;
    private final GenericInternalRow row;
    private Object[] lastLeft;

    Evaluated(Bound bound) {
      predicate = Predicate.create(bound.expression);
      predicate.initialize(0);
      used = Conditions.used(bound.expression);
      toSpark = SparkTypes.toSpark(bound.schema);
      row = new GenericInternalRow(bound.schema.length());
    }

    @Override
    public boolean test(Object[] left, Object[] right) {
      for (int column : used) {
        boolean isLeft = column < left.length;
        if (isLeft && left == lastLeft) continue;
        Object value = isLeft ? left[column] : right[column - left.length];
        row.update(column, SparkTypes.apply(toSpark.get(column), value));
      }
      lastLeft = left;
      return predicate.eval(row);
    }
  }

  private static int[] used(Expression expression) {
    TreeSet<Integer> ordinals = new TreeSet<>();
    expression.foreach(
        node -> {
          if (node instanceof BoundReference) ordinals.add(((BoundReference) node).ordinal());
          return null;
        });
    return ordinals.stream().mapToInt(Integer::intValue).toArray();
  }
}
