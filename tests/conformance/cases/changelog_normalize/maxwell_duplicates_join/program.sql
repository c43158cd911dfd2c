-- Repeated Maxwell events are normalised before a join with a plain CDC table
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE orders (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'maxwell-json'
);

CREATE TABLE customers (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/customers.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT, amount INT, city STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT o.id, o.amount, c.city FROM orders o LEFT JOIN customers c ON o.customer = c.name;
