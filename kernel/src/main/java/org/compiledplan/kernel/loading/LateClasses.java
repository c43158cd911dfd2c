package org.compiledplan.kernel.loading;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The kernel's classes of one package, which refers to a library. A session may get the library
 * after it has started, in a class loader below the kernel's; these classes are defined again
 * there, because otherwise they could not resolve those of the library.
 */
public final class LateClasses {
  private final String prefix;
  private final String needed;
  private final Map<ClassLoader, WeakReference<Loader>> loaders =
      Collections.synchronizedMap(new WeakHashMap<>());

  /**
   * @param packageName the package, which only the library's users belong to
   * @param needed a class of the library
   */
  public LateClasses(String packageName, String needed) {
    prefix = packageName + ".";
    this.needed = needed;
  }

  /**
   * Creates an object of a class of the package.
   *
   * @param loader a class loader with the library
   * @param name the class's name in the package; it has a constructor without parameters
   * @throws ReflectiveOperationException if the class cannot be created
   * @throws LinkageError if the library is not visible to the class loader
   */
  public Object instance(ClassLoader loader, String name) throws ReflectiveOperationException {
    return within(loader).loadClass(prefix + name).getDeclaredConstructor().newInstance();
  }

  private ClassLoader within(ClassLoader loader) {
    ClassLoader own = LateClasses.class.getClassLoader();
    try {
      Class.forName(needed, false, own);
      return own;
    } catch (ClassNotFoundException error) {
      WeakReference<Loader> known = loaders.get(loader);
      Loader cached = known == null ? null : known.get();
      if (cached == null) loaders.put(loader, new WeakReference<>(cached = new Loader(loader)));
      return cached;
    }
  }

  /** Defines the classes of the package itself and delegates all others to its parent. */
  private final class Loader extends ClassLoader {
    Loader(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(prefix)) return super.loadClass(name, resolve);
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? defined(name) : loaded;
      }
    }

    private Class<?> defined(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream bytes = LateClasses.class.getClassLoader().getResourceAsStream(file)) {
        if (bytes == null) throw new ClassNotFoundException(name);
        byte[] all = bytes.readAllBytes();
        return defineClass(name, all, 0, all.length);
      } catch (IOException error) {
        throw new ClassNotFoundException(name, error);
      }
    }
  }
}
