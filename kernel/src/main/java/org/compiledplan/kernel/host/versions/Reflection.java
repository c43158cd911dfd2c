package org.compiledplan.kernel.host.versions;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Access to Spark's members without an interface. */
final class Reflection {
  private Reflection() {}

  static Field field(Class<?> of, String name) throws NoSuchFieldException {
    Field field = of.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** A public method that the version is known to have. */
  static Method method(Class<?> of, String name, Class<?>... parameters) {
    try {
      return of.getMethod(name, parameters);
    } catch (NoSuchMethodException error) {
      throw new IllegalStateException(error);
    }
  }

  static Object call(Method method, Object target, Object... arguments) {
    return attempt(() -> method.invoke(target, arguments));
  }

  static Object create(Constructor<?> constructor, Object... arguments) {
    return attempt(() -> constructor.newInstance(arguments));
  }

  private interface Access {
    Object run() throws ReflectiveOperationException;
  }

  private static Object attempt(Access access) {
    try {
      return access.run();
    } catch (InvocationTargetException error) {
      if (error.getCause() instanceof RuntimeException cause) throw cause;
      if (error.getCause() instanceof Error cause) throw cause;
      throw new IllegalStateException(error.getCause());
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}
