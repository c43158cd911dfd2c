-- Unbounded generated orders: sales by customer group, over the customers of the last hour.
CREATE TABLE orders (order_id BIGINT, customer INT, amount INT) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '2000',
  'fields.customer.min' = '1',
  'fields.customer.max' = '5000',
  'fields.amount.min' = '1',
  'fields.amount.max' = '500'
);

CREATE TABLE customers (customer INT, segment INT) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '50',
  'fields.customer.min' = '1',
  'fields.customer.max' = '5000',
  'fields.segment.min' = '1',
  'fields.segment.max' = '20'
);

CREATE TABLE spent_by_segment (segment INT, orders BIGINT, amount BIGINT, PRIMARY KEY (segment) NOT ENFORCED) WITH (
  'connector' = 'blackhole'
);

INSERT INTO spent_by_segment
SELECT /*+ STATE_TTL('o' = '30 s', 'c' = '1 h') */ c.segment, COUNT(*), SUM(CAST(o.amount AS BIGINT))
FROM orders AS o JOIN customers AS c ON o.customer = c.customer
GROUP BY c.segment;
