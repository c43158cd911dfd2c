-- A normalised table with a key of two columns, projected without one of them
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE stock (shop STRING, item INT, qty INT, PRIMARY KEY (shop, item) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/stock.json',
  'format' = 'canal-json'
);

CREATE TABLE sink_out (shop STRING, qty INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT shop, qty FROM stock WHERE qty > 2;
