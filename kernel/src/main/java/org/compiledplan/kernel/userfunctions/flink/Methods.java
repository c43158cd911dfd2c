package org.compiledplan.kernel.userfunctions.flink;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.table.types.extraction.ExtractionUtils;
import org.apache.flink.table.types.extraction.ExtractionUtils.Autoboxing;

/** The method of a function that Java's overload resolution selects for classes of arguments. */
final class Methods {
  /** Calls a method with the arguments of a call. */
  @FunctionalInterface
  interface Invoker {
    Object invoke(Object[] arguments) throws Throwable;
  }

  private Methods() {}

  /**
   * The invoker of the most specific method that takes arguments of these classes.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Invoker of(Object function, String name, Class<?>... classes) {
    List<Method> all = ExtractionUtils.collectMethods(function.getClass(), name);
    List<Method> fitting =
        all.stream()
            .filter(method -> !method.isBridge() && !method.isSynthetic())
            .filter(method -> ExtractionUtils.isInvokable(Autoboxing.JVM, method, classes))
            .toList();
    // A method of fixed arity is selected before one that takes any number of arguments.
    List<Method> fixed = fitting.stream().filter(method -> isFixed(method, classes)).toList();
    List<Method> candidates = fixed.isEmpty() ? fitting : fixed;
    Method best =
        candidates.stream()
            .filter(
                method -> candidates.stream().allMatch(other -> isSpecific(method, other, classes)))
            .findFirst()
            .orElse(candidates.isEmpty() ? null : candidates.get(0));
    if (best == null) {
      String wanted =
          Arrays.stream(classes).map(Class::getSimpleName).collect(Collectors.joining(", "));
      throw new IllegalArgumentException("it has no method " + name + "(" + wanted + ")");
    }
    return invoker(function, best, isFixed(best, classes), classes.length);
  }

  private static boolean isFixed(Method method, Class<?>[] classes) {
    Class<?>[] parameters = method.getParameterTypes();
    if (parameters.length != classes.length) return false;
    if (!method.isVarArgs()) return true;
    int last = classes.length - 1;
    return ExtractionUtils.isAssignable(classes[last], parameters[last], Autoboxing.JVM);
  }

  /** Returns true if every argument of the first method may be passed to the second. */
  private static boolean isSpecific(Method method, Method other, Class<?>[] classes) {
    for (int i = 0; i < classes.length; i++) {
      Class<?> own = parameter(method, i, classes);
      Class<?> theirs = parameter(other, i, classes);
      if (own == theirs) continue;
      // A parameter that needs no boxing precedes one that does.
      boolean isExact = own.isPrimitive() == classes[i].isPrimitive();
      if (own.isPrimitive() != theirs.isPrimitive()) {
        if (!isExact) return false;
      } else if (!ExtractionUtils.isAssignable(own, theirs, Autoboxing.NONE)) {
        return false;
      }
    }
    return true;
  }

  private static Class<?> parameter(Method method, int at, Class<?>[] classes) {
    Class<?>[] parameters = method.getParameterTypes();
    int last = parameters.length - 1;
    if (isFixed(method, classes) || at < last) return parameters[at];
    return parameters[last].getComponentType();
  }

  private static Invoker invoker(Object function, Method method, boolean isFixed, int count) {
    MethodHandle bound;
    try {
      method.setAccessible(true);
      MethodHandle handle = MethodHandles.lookup().unreflect(method).asFixedArity();
      bound = Modifier.isStatic(method.getModifiers()) ? handle : handle.bindTo(function);
    } catch (IllegalAccessException error) {
      throw new IllegalArgumentException("method " + method + " is not accessible");
    }
    int width = method.getParameterCount();
    MethodHandle spread =
        bound
            .asSpreader(Object[].class, width)
            .asType(MethodType.methodType(Object.class, Object[].class));
    if (isFixed) return arguments -> (Object) spread.invokeExact(arguments);
    Class<?> repeated = method.getParameterTypes()[width - 1].getComponentType();
    return arguments -> {
      Object[] all = Arrays.copyOf(arguments, width);
      Object tail = Array.newInstance(repeated, count - width + 1);
      for (int i = width - 1; i < count; i++) Array.set(tail, i - width + 1, arguments[i]);
      all[width - 1] = tail;
      return (Object) spread.invokeExact(all);
    };
  }
}
