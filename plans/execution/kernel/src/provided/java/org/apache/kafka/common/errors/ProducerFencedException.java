package org.apache.kafka.common.errors;

public class ProducerFencedException extends ApiException {
  private static final long serialVersionUID = 1L;
}
