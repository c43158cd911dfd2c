import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends rows into a topic at times that are fixed before, and takes what comes of them from
 * another; both by one clock.
 *
 * <pre>Probe BROKER ROWS NAMES RESULTS KEYS KEYS_OF_A_RESULT FILE RATE:WARM:SECONDS...</pre>
 *
 * <p>A row is {@code {"k", "at": when it is due}}; a result is {@code {"k": that of its rows
 * divided, "at": of the newest row in it}}. A row is done when a result of its key is at least as
 * new. It counts from when it was due, whether it could be sent then or not. First rows come slowly
 * until there is a result; then, for each rate, rows for WARM seconds that do not count, and rows
 * for SECONDS that do. The file gets a line for each of those: number of the rate, when it was due
 * and when it was done, in microseconds; -1 where that was not so after all.
 */
public final class Probe {
  private static final int FIRST_RATE = 50;
  private static final long FIRST_NANOS = 180_000_000_000L, LAST_NANOS = 10_000_000_000L;
  private static final Pattern RESULT =
      Pattern.compile("\"k\"\\s*:\\s*(\\d+).*\"at\"\\s*:\\s*(\\d+)");

  private record Row(int phase, long due) {}

  private final String broker;
  private final int keys;
  private final int divisor;
  private final List<Queue<Row>> waiting = new ArrayList<>();
  private final List<long[]> done = new ArrayList<>();
  private final long zero = System.nanoTime();
  private volatile boolean stopped;
  private volatile long results;
  private volatile long open;
  private Throwable failure;

  private Probe(String broker, int keys, int divisor) {
    this.broker = broker;
    this.keys = keys;
    this.divisor = divisor;
    for (int key = 0; key <= (keys - 1) / divisor; key++) waiting.add(new ArrayDeque<>());
  }

  public static void main(String[] arguments) throws Exception {
    Probe probe =
        new Probe(arguments[0], Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]));
    Thread reader = new Thread(() -> probe.read(arguments[3]));
    reader.start();
    try {
      probe.send(arguments);
    } finally {
      probe.stopped = true;
      reader.join();
    }
    if (probe.failure != null) throw new IllegalStateException(probe.failure);
    probe.write(Path.of(arguments[6]));
  }

  private long micros() {
    return (System.nanoTime() - zero) / 1000;
  }

  private void send(String[] arguments) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", broker, "linger.ms", 1, "acks", "1", "max.block.ms", 60_000);
    var bytes = new ByteArraySerializer();
    try (var producer = new KafkaProducer<>(settings, bytes, bytes)) {
      for (int key = 0; key < keys; key++)
        producer.send(new ProducerRecord<>(arguments[2], utf8("{\"k\":" + key + "}")));
      long limit = System.nanoTime() + FIRST_NANOS;
      while (results == 0) {
        if (System.nanoTime() > limit) throw new IllegalStateException("no result came");
        rows(producer, arguments[1], -1, FIRST_RATE, 1);
      }
      for (int phase = 0; phase + 7 < arguments.length; phase++) {
        String[] told = arguments[phase + 7].split(":");
        int rate = Integer.parseInt(told[0]);
        rows(producer, arguments[1], -1, rate, Integer.parseInt(told[1]));
        rows(producer, arguments[1], phase, rate, Integer.parseInt(told[2]));
      }
      limit = System.nanoTime() + LAST_NANOS;
      while (open > 0 && System.nanoTime() < limit) LockSupport.parkNanos(10_000_000);
    }
  }

  private final SplittableRandom random = new SplittableRandom(7);

  private void rows(
      KafkaProducer<byte[], byte[]> producer, String topic, int phase, long rate, long seconds) {
    long start = micros();
    for (long number = 0; number < rate * seconds; number++) {
      long due = start + number * 1_000_000 / rate;
      for (long now = micros(); now < due; now = micros())
        LockSupport.parkNanos(Math.min(due - now, 500) * 1000);
      int key = random.nextInt(keys);
      Queue<Row> queue = waiting.get(key / divisor);
      synchronized (queue) {
        queue.add(new Row(phase, due));
      }
      if (phase >= 0) count(1);
      producer.send(
          new ProducerRecord<>(topic, utf8("{\"k\":" + key + ",\"at\":" + due + "}")));
    }
  }

  private synchronized void count(long change) {
    open += change;
  }

  private void read(String topic) {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", broker, "auto.offset.reset", "earliest", "client.id", "probe");
    var bytes = new ByteArrayDeserializer();
    try (var consumer = new KafkaConsumer<>(settings, bytes, bytes)) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      while (!stopped) {
        for (ConsumerRecord<byte[], byte[]> result : consumer.poll(Duration.ofMillis(100)))
          if (result.value() != null) take(new String(result.value(), StandardCharsets.UTF_8));
      }
    } catch (RuntimeException error) {
      failure = error;
    }
  }

  private void take(String result) {
    Matcher match = RESULT.matcher(result);
    // The newest row of a key may be gone for a moment: behind a retraction.
    if (!match.find()) return;
    long now = micros(), newest = Long.parseLong(match.group(2));
    results++;
    Queue<Row> queue = waiting.get(Integer.parseInt(match.group(1)));
    synchronized (queue) {
      for (Row row = queue.peek(); row != null && row.due <= newest; row = queue.peek()) {
        queue.remove();
        if (row.phase < 0) continue;
        done.add(new long[] {row.phase, row.due, now});
        count(-1);
      }
    }
  }

  private void write(Path file) throws Exception {
    for (Queue<Row> queue : waiting)
      for (Row row : queue) if (row.phase >= 0) done.add(new long[] {row.phase, row.due, -1});
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      for (long[] row : done) out.println(row[0] + " " + row[1] + " " + row[2]);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
