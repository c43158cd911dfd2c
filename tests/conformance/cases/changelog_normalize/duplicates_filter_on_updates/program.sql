-- A filter pushed into the normalisation: rows come and go as the column changes
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE orders (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'canal-json'
);

CREATE TABLE sink_out (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, customer, amount FROM orders WHERE amount BETWEEN 3 AND 6;
