package org.compiledplan.kernel.kafka;

/** Brokers that do not respond, or temporarily cannot do what was requested. */
public final class BrokersAwayException extends KafkaException {
  public BrokersAwayException(String message) {
    super(message);
  }
}
