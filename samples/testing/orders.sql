-- The total of each customer, and the number of orders in each minute.
CREATE TABLE orders (
  id INT,
  customer STRING,
  price DECIMAL(10, 2),
  ordered TIMESTAMP(3),
  WATERMARK FOR ordered AS ordered - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json'
);
CREATE TABLE totals (
  customer STRING,
  paid DECIMAL(38, 2),
  PRIMARY KEY (customer) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'totals', 'properties.bootstrap.servers' = 'broker:9092',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE per_minute (
  started TIMESTAMP(3),
  orders BIGINT
) WITH (
  'connector' = 'print'
);
SET 'table.exec.state.ttl' = '1 h';
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT customer, SUM(price) FROM orders GROUP BY customer;
INSERT INTO per_minute
  SELECT window_start, COUNT(*)
  FROM TUMBLE(TABLE orders, DESCRIPTOR(ordered), INTERVAL '1' MINUTE)
  GROUP BY window_start, window_end;
END;
