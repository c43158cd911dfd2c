package org.compiledplan.kernel.userfunctions;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.compiledplan.kernel.loading.LateClasses;

/** User functions in Java: their descriptions, and a pool of open ones. */
public final class UserFunctions {
  private static final LateClasses CLASSES =
      new LateClasses(
          "org.compiledplan.kernel.userfunctions.flink",
          "org.apache.flink.table.functions.UserDefinedFunction");

  private static final Map<Key, ConcurrentLinkedDeque<UserFunction>> IDLE =
      new ConcurrentHashMap<>();

  private record Key(FunctionSpec spec, ClassLoader loader) {}

  private UserFunctions() {}

  /**
   * Loads a function without opening it.
   *
   * @throws FunctionFailure if there is no such function, or it does not have the plan's types
   */
  public static Description describe(FunctionSpec spec) {
    ClassLoader loader = loader();
    return factory(loader, spec.title()).describe(spec, loader);
  }

  /** A digest of a class's code without debug information; empty if it cannot be read. */
  public static String code(String className) {
    ClassLoader loader = loader();
    return factory(loader, className).code(className, loader);
  }

  /**
   * Takes an open function from the pool, or opens another one.
   *
   * @throws FunctionFailure if it cannot be opened
   */
  public static UserFunction acquire(FunctionSpec spec) {
    ClassLoader loader = loader();
    ConcurrentLinkedDeque<UserFunction> idle = IDLE.get(new Key(spec, loader));
    UserFunction function = idle == null ? null : idle.pollFirst();
    return function == null ? factory(loader, spec.title()).open(spec, loader) : function;
  }

  /** Closes a function that has something to close, and returns any other one to the pool. */
  public static void release(FunctionSpec spec, UserFunction function) {
    if (function.closes()) function.close();
    else
      IDLE.computeIfAbsent(new Key(spec, loader()), key -> new ConcurrentLinkedDeque<>())
          .addFirst(function);
  }

  private static FunctionFactory factory(ClassLoader loader, String title) {
    try {
      return (FunctionFactory) CLASSES.instance(loader, "FlinkFunctions");
    } catch (ReflectiveOperationException | LinkageError error) {
      throw new FunctionFailure(
          title + " needs Flink's flink-table-common on the class path: " + error, error);
    }
  }

  private static ClassLoader loader() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return loader == null ? UserFunctions.class.getClassLoader() : loader;
  }
}
