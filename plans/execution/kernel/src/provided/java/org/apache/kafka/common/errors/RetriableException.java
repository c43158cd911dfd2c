package org.apache.kafka.common.errors;

public class RetriableException extends ApiException {
  private static final long serialVersionUID = 1L;
}
