package org.compiledplan.kernel.kafka;

/** Brokers that do not answer, or cannot do now what they may do later. */
public final class BrokersAwayException extends KafkaException {
  public BrokersAwayException(String message) {
    super(message);
  }
}
