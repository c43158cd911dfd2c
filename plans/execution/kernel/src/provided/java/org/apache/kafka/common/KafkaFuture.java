package org.apache.kafka.common;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

public abstract class KafkaFuture<T> implements Future<T> {
  @Override
  public abstract T get() throws InterruptedException, ExecutionException;
}
