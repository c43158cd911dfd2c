package org.compiledplan.kernel.userfunctions.flink;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.AsyncScalarFunction;
import org.apache.flink.table.functions.AsyncTableFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.functions.UserDefinedFunctionHelper;
import org.apache.flink.table.types.DataType;
import org.apache.flink.util.Collector;
import org.compiledplan.kernel.userfunctions.FunctionFailure;
import org.compiledplan.kernel.userfunctions.FunctionSpec;
import org.compiledplan.kernel.userfunctions.UserFunction;
import org.compiledplan.kernel.values.Struct;
import org.compiledplan.kernel.values.ValueType;

/** A function with its method and its conversions. */
final class FlinkFunction implements UserFunction {
  private final FunctionSpec spec;
  private final UserDefinedFunction function;
  private final Conversion[] arguments;
  private final Conversion result;
  private final Conversion accumulator;
  private final Methods.Invoker eval;
  private final Methods.Invoker retract;
  private final Methods.Invoker merge;
  private final boolean isAsync;
  private final boolean isComposite;
  private final List<Struct> collected = new ArrayList<>();

  FlinkFunction(FlinkFunctions.Loaded loaded) {
    spec = loaded.spec();
    function = loaded.function();
    arguments = loaded.arguments().stream().map(Conversions::of).toArray(Conversion[]::new);
    result = Conversions.of(loaded.result());
    isComposite = FlinkFunctions.isComposite(loaded.result().getLogicalType());
    isAsync = function instanceof AsyncScalarFunction || function instanceof AsyncTableFunction;
    Class<?>[] classes =
        loaded.arguments().stream().map(DataType::getConversionClass).toArray(Class<?>[]::new);
    if (function instanceof AggregateFunction) {
      DataType state = loaded.accumulator();
      accumulator = Conversions.of(state);
      Class<?> held = state.getConversionClass();
      Class<?>[] withState = prefixed(held, classes);
      eval = Methods.of(function, UserDefinedFunctionHelper.AGGREGATE_ACCUMULATE, withState);
      retract = optional(UserDefinedFunctionHelper.AGGREGATE_RETRACT, withState);
      merge = optional(UserDefinedFunctionHelper.AGGREGATE_MERGE, held, Iterable.class);
    } else {
      accumulator = null;
      retract = null;
      merge = null;
      Class<?>[] all = isAsync ? prefixed(CompletableFuture.class, classes) : classes;
      eval = Methods.of(function, UserDefinedFunctionHelper.SCALAR_EVAL, all);
    }
    if (function instanceof TableFunction<?> table) setCollector(table);
  }

  @SuppressWarnings("unchecked")
  private void setCollector(TableFunction<?> table) {
    ((TableFunction<Object>) table).setCollector(new RowCollector());
  }

  private static Class<?>[] prefixed(Class<?> first, Class<?>[] others) {
    return Stream.concat(Stream.of(first), Arrays.stream(others)).toArray(Class<?>[]::new);
  }

  private Methods.Invoker optional(String name, Class<?>... classes) {
    try {
      return Methods.of(function, name, classes);
    } catch (IllegalArgumentException absent) {
      return arguments -> {
        throw new UnsupportedOperationException(absent.getMessage());
      };
    }
  }

  ValueType accumulatorType() {
    return accumulator == null ? null : accumulator.type;
  }

  /** Receives the rows of a table function. */
  private final class RowCollector implements Collector<Object> {
    @Override
    public void collect(Object row) {
      add(row);
    }

    @Override
    public void close() {}
  }

  private void add(Object row) {
    Object value = result.out(row);
    if (!isComposite) collected.add(new Struct(new Object[] {value}));
    else if (value != null) collected.add((Struct) value);
  }

  private Object[] external(Object[] values) {
    Object[] objects = new Object[values.length];
    for (int i = 0; i < objects.length; i++) objects[i] = arguments[i].in(values[i]);
    return objects;
  }

  private Object[] external(Object first, Object[] values) {
    Object[] objects = new Object[values.length + 1];
    objects[0] = first;
    for (int i = 0; i < values.length; i++) objects[i + 1] = arguments[i].in(values[i]);
    return objects;
  }

  @Override
  public Object call(Object[] values) {
    try {
      return result.out(isAsync ? awaited(values) : eval.invoke(external(values)));
    } catch (Throwable error) {
      throw failed(values, error);
    }
  }

  @Override
  public List<Struct> rows(Object[] values) {
    collected.clear();
    try {
      if (isAsync) {
        Collection<?> rows = (Collection<?>) awaited(values);
        if (rows != null) rows.forEach(this::add);
      } else {
        eval.invoke(external(values));
      }
    } catch (Throwable error) {
      throw failed(values, error);
    }
    return List.copyOf(collected);
  }

  private Object awaited(Object[] values) throws Throwable {
    long end = System.currentTimeMillis() + spec.timeoutMillis();
    for (int attempt = 1; ; attempt++) {
      CompletableFuture<Object> future = new CompletableFuture<>();
      start(future, values);
      try {
        return future.get(Math.max(0, end - System.currentTimeMillis()), TimeUnit.MILLISECONDS);
      } catch (TimeoutException error) {
        throw new TimeoutException("no result within " + spec.timeoutMillis() + " ms");
      } catch (ExecutionException error) {
        if (attempt >= spec.attempts()) throw error.getCause();
        Thread.sleep(spec.delayMillis());
      }
    }
  }

  /** Starts an asynchronous call; what it throws is its result, as in Flink. */
  private void start(CompletableFuture<Object> future, Object[] values) throws Throwable {
    try {
      eval.invoke(external(future, values));
    } catch (Exception error) {
      future.completeExceptionally(error);
    }
  }

  @Override
  public Object createAccumulator() {
    try {
      return ((AggregateFunction<?, ?>) function).createAccumulator();
    } catch (RuntimeException error) {
      throw failed(new Object[0], error);
    }
  }

  @Override
  public void accumulate(Object state, Object[] values) {
    change(eval, state, values);
  }

  @Override
  public void retract(Object state, Object[] values) {
    change(retract, state, values);
  }

  private void change(Methods.Invoker method, Object state, Object[] values) {
    try {
      method.invoke(external(state, values));
    } catch (Throwable error) {
      throw failed(values, error);
    }
  }

  @Override
  public void merge(Object state, Object other) {
    try {
      // A copy: the function may take parts of the other accumulator over.
      Object copy = restored(stored(other));
      merge.invoke(new Object[] {state, List.of(copy)});
    } catch (Throwable error) {
      throw failed(new Object[0], error);
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public Object value(Object state) {
    try {
      return result.out(((AggregateFunction<Object, Object>) function).getValue(state));
    } catch (RuntimeException error) {
      throw failed(new Object[0], error);
    }
  }

  @Override
  public Object stored(Object state) {
    return accumulator.out(state);
  }

  @Override
  public Object restored(Object value) {
    return accumulator.in(value);
  }

  @Override
  public boolean closes() {
    try {
      return function.getClass().getMethod("close").getDeclaringClass()
          != UserDefinedFunction.class;
    } catch (NoSuchMethodException error) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      function.close();
    } catch (Exception error) {
      throw failed(new Object[0], error);
    }
  }

  private FunctionFailure failed(Object[] values, Throwable error) {
    if (error instanceof FunctionFailure failure) return failure;
    if (error instanceof VirtualMachineError fatal) throw fatal;
    return FunctionFailure.of(spec, values, error);
  }
}
