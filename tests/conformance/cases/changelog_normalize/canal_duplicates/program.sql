-- Repeated Canal events are normalised before an aggregate
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE orders (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'canal-json'
);

CREATE TABLE sink_out (customer STRING, n BIGINT, total INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT customer, COUNT(*), SUM(amount) FROM orders GROUP BY customer;
