package org.apache.kafka.common.errors;

public class InvalidProducerEpochException extends ApiException {
  private static final long serialVersionUID = 1L;
}
