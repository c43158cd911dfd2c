package org.compiledplan.kernel.kafka;

/** What Kafka refuses, in words for the user. */
public class KafkaException extends RuntimeException {
  public KafkaException(String message) {
    // Without the cause: the last message of the chain is what the user sees.
    super(message);
  }
}
