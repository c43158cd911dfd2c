package org.compiledplan.kernel.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.ServiceLoader;

/**
 * Connections by drivers of the user's jars. {@link DriverManager} returns only drivers visible to
 * the caller's class loader, and those of {@code spark.jars} are in a loader below the kernel's:
 * the context loader of Spark's tasks.
 */
final class Drivers {
  private Drivers() {}

  /**
   * Opens a connection.
   *
   * @param driver class of the driver, or null for the one that accepts the URL
   * @param timeout connection timeout in seconds
   */
  static Connection connect(String url, String driver, Properties properties, int timeout)
      throws SQLException {
    DriverManager.setLoginTimeout(timeout);
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    if (driver != null) return connect(named(driver, loader), url, properties);
    // Loading them also registers them, so the manager tries drivers of the kernel's own loader
    // last.
    for (Driver candidate : ServiceLoader.load(Driver.class, loader)) {
      if (candidate.acceptsURL(url)) return connect(candidate, url, properties);
    }
    if (DriverManager.drivers().noneMatch(registered -> accepts(registered, url)))
      throw new DatabaseException(
          "no JDBC driver on the class path takes the URL " + Database.shown(url));
    return DriverManager.getConnection(url, properties);
  }

  private static boolean accepts(Driver driver, String url) {
    try {
      return driver.acceptsURL(url);
    } catch (SQLException error) {
      return false;
    }
  }

  private static Connection connect(Driver driver, String url, Properties properties)
      throws SQLException {
    Connection connection = driver.connect(url, properties);
    if (connection != null) return connection;
    throw new DatabaseException(
        "the driver %s does not take the URL %s"
            .formatted(driver.getClass().getName(), Database.shown(url)));
  }

  /** A driver by its class; the class is not initialized before it is known to be a driver. */
  private static Driver named(String driver, ClassLoader loader) {
    try {
      Class<?> type = Class.forName(driver, false, loader);
      if (!Driver.class.isAssignableFrom(type)) {
        throw new DatabaseException(
            "the class "
                + driver
                + " is no JDBC driver: leave the option 'driver' out, or name one that is");
      }
      return type.asSubclass(Driver.class).getDeclaredConstructor().newInstance();
    } catch (ClassNotFoundException error) {
      throw new DatabaseException("the JDBC driver " + driver + " is not on the class path");
    } catch (ReflectiveOperationException | LinkageError error) {
      throw new DatabaseException("the JDBC driver " + driver + " cannot be loaded: " + error);
    }
  }
}
