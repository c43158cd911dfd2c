package org.compiledplan.kernel.kafka;

import org.compiledplan.kernel.loading.LateClasses;

/** The kernel's classes that refer to Kafka's clients. */
final class Clients {
  private static final LateClasses CLASSES =
      new LateClasses(
          "org.compiledplan.kernel.kafka.clients",
          "org.apache.kafka.clients.producer.KafkaProducer");

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
      return CLASSES.instance(loader, name);
    } catch (ReflectiveOperationException | LinkageError error) {
      throw new KafkaException("Kafka's clients are not on the class path: " + error);
    }
  }
}
