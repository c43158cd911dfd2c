package org.compiledplan.kernel.host.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.api.python.PythonSQLUtils;
import org.apache.spark.sql.internal.UnresolvedNamedLambdaVariable;
import org.apache.spark.sql.internal.UnresolvedNamedLambdaVariable$;
import scala.jdk.javaapi.CollectionConverters;

/** Calls of Spark's higher-order functions with named variables. */
public final class Lambdas {
  private Lambdas() {}

  /** A variable for the body of a function. */
  public static Column variable(String name) {
    return new Column(
        new UnresolvedNamedLambdaVariable(
            name, UnresolvedNamedLambdaVariable$.MODULE$.$lessinit$greater$default$2()));
  }

  /** A call on a collection with a function of one variable. */
  public static Column call(String function, Column over, Column body, String variable) {
    return call(function, over, body, List.of(variable));
  }

  /** A call on a collection with a function of two variables. */
  public static Column call(
      String function, Column over, Column body, String first, String second) {
    return call(function, over, body, List.of(first, second));
  }

  private static Column call(String function, Column over, Column body, List<String> names) {
    List<Column> variables = new ArrayList<>();
    for (String name : names) variables.add(variable(name));
    Column lambda =
        PythonSQLUtils.lambdaFunction(body, CollectionConverters.asScala(variables).toSeq());
    return PythonSQLUtils.fn(function, CollectionConverters.asScala(List.of(over, lambda)).toSeq());
  }
}
