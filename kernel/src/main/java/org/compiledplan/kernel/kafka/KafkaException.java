package org.compiledplan.kernel.kafka;

/** A request that Kafka refuses, worded for the user. */
public class KafkaException extends RuntimeException {
  public KafkaException(String message) {
    // Without the cause: the user sees the last message of the chain.
    super(message);
  }
}
