package org.apache.kafka.common;

public class KafkaException extends RuntimeException {
  private static final long serialVersionUID = 1L;
}
