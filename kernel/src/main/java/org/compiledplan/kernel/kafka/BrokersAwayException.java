package org.compiledplan.kernel.kafka;

/** Brokers that do not answer, or cannot do now what they may do later. */
public final class BrokersAwayException extends KafkaException {
  private static final long serialVersionUID = 1;

  public BrokersAwayException(String message) {
    super(message);
  }
}
