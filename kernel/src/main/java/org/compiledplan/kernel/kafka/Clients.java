package org.compiledplan.kernel.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The kernel's classes that refer to Kafka's. A session may get Kafka's clients after it has
 * started, in a class loader below the kernel's; these classes are defined again there, because
 * otherwise they could not resolve Kafka's.
 */
final class Clients {
  private static final String PACKAGE = "org.compiledplan.kernel.kafka.clients.";
  private static final String NEEDED = "org.apache.kafka.clients.producer.KafkaProducer";
  private static final Map<ClassLoader, WeakReference<Loader>> LOADERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private Clients() {}

  /**
   * Creates the transactional writer.
   *
   * @param loader a class loader with Kafka's clients
   */
  static Transactions transactions(ClassLoader loader) {
    return (Transactions) instance(loader, "ProducerTransactions");
  }

  /**
   * Creates the sender of single messages.
   *
   * @param loader a class loader with Kafka's clients
   */
  static Sender sender(ClassLoader loader) {
    return (Sender) instance(loader, "ProducerSender");
  }

  private static Object instance(ClassLoader loader, String name) {
    try {
      return within(loader).loadClass(PACKAGE + name).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError error) {
      throw new KafkaException("Kafka's clients are not on the class path: " + error);
    }
  }

  private static ClassLoader within(ClassLoader loader) {
    ClassLoader own = Clients.class.getClassLoader();
    try {
      Class.forName(NEEDED, false, own);
      return own;
    } catch (ClassNotFoundException error) {
      WeakReference<Loader> known = LOADERS.get(loader);
      Loader cached = known == null ? null : known.get();
      if (cached == null) LOADERS.put(loader, new WeakReference<>(cached = new Loader(loader)));
      return cached;
    }
  }

  /** Defines the classes of one package itself and delegates all others to its parent. */
  private static final class Loader extends ClassLoader {
    Loader(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(PACKAGE)) return super.loadClass(name, resolve);
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? defined(name) : loaded;
      }
    }

    private Class<?> defined(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream bytes = Clients.class.getClassLoader().getResourceAsStream(file)) {
        if (bytes == null) throw new ClassNotFoundException(name);
        byte[] all = bytes.readAllBytes();
        return defineClass(name, all, 0, all.length);
      } catch (IOException error) {
        throw new ClassNotFoundException(name, error);
      }
    }
  }
}
