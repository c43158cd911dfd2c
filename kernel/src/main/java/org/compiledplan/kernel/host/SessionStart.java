package org.compiledplan.kernel.host;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.state.RocksDBLoader;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.codehaus.janino.ClassBodyEvaluator;

/**
 * The start of a session, made shorter: what every run loads is loaded beside it, and what no plan
 * needs is left out.
 */
public final class SessionStart {
  /** The file in which a jar names what it adds to every session. */
  private static final String EXTENSIONS =
      "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider";

  private static final String FUNCTIONS = "org.apache.spark.sql.ml.InternalFunctionRegistration$";

  private static final List<Preparation> PREPARATIONS =
      List.of(
          () -> StructType.fromDDL("a INT NOT NULL, b STRUCT<c: DECIMAL(38, 18)>"),
          // Janino's jar is signed, so that its classes are in no archive.
          () -> new ClassBodyEvaluator().cook("public int one() { return new int[] {1}[0]; }"),
          RocksDBLoader::loadLibrary);

  private SessionStart() {}

  private interface Preparation {
    void run() throws Exception;
  }

  /**
   * Load what every run loads at some time, in a thread of its own; a failure is the run's to tell.
   *
   * @param machineLearning whether the session is to have the functions of Spark's machine learning
   */
  public static void prepare(boolean machineLearning) {
    List<Preparation> all = new ArrayList<>(PREPARATIONS);
    if (machineLearning) all.add(0, () -> Class.forName(FUNCTIONS));
    begin(all);
  }

  /**
   * Plan a query of the session and compile its code, so that Spark's planner has been through it
   * once; runs no job.
   */
  public static void prepareQueries() {
    begin(List.of(SessionStart::plan));
  }

  /**
   * Forgets from which file each of Hadoop's thousand settings comes: Hadoop compresses each of
   * these names by itself whenever settings are sent, which they are with every source and stage of
   * a micro-batch. To be called when file systems have been used, which add to the settings.
   */
  public static void forgetOrigins(SparkSession session) {
    Configuration settings = session.sparkContext().hadoopConfiguration();
    settings.size(); // loads them
    try {
      Field origins = Configuration.class.getDeclaredField("updatingResource");
      origins.setAccessible(true);
      ((Map<?, ?>) origins.get(settings)).clear();
    } catch (ReflectiveOperationException | RuntimeException fault) {
      // Another Hadoop keeps them elsewhere: it takes as long as it did.
    }
  }

  private static void plan() {
    Dataset<Row> rows =
        SparkSession.getDefaultSession()
            .get()
            .range(1)
            .selectExpr("CAST(id AS STRING) k", "NAMED_STRUCT('a', id, 'b', 'x') v")
            .where("k <> 'y'")
            .repartition(functions.col("k"))
            .sortWithinPartitions("k")
            .selectExpr("v.a + 1", "v.b");
    Plans.of(rows).toRdd();
  }

  private static void begin(List<Preparation> preparations) {
    Thread thread = new Thread(() -> preparations.forEach(SessionStart::attempt), "prepare-start");
    thread.setDaemon(true);
    thread.start();
  }

  private static void attempt(Preparation preparation) {
    try {
      preparation.run();
    } catch (Exception | LinkageError fault) {
      // The run meets it again, where it has a meaning.
    }
  }

  /**
   * Sessions that this thread makes from now on do without the SQL functions of Spark's machine
   * learning, which it registers by reflection for half a second. What other jars add stays.
   *
   * @return the class loader to {@link #restore}
   */
  public static ClassLoader withoutMachineLearning() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(new WithoutMachineLearning(before));
    return before;
  }

  public static void restore(ClassLoader before) {
    Thread.currentThread().setContextClassLoader(before);
  }

  private static final class WithoutMachineLearning extends ClassLoader {
    static {
      registerAsParallelCapable();
    }

    WithoutMachineLearning(ClassLoader parent) {
      super(parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      Enumeration<URL> resources = super.getResources(name);
      if (!name.equals(EXTENSIONS)) return resources;
      List<URL> remaining = new ArrayList<>(Collections.list(resources));
      remaining.removeIf(url -> url.getPath().contains("/spark-mllib_"));
      return Collections.enumeration(remaining);
    }
  }
}
