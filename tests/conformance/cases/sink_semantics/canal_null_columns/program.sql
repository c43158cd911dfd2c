-- A Canal update that turns columns from and to null
CREATE TABLE orders (id INT, customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'canal-json'
);

CREATE TABLE sink_out (id INT, customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, customer, amount FROM orders;
