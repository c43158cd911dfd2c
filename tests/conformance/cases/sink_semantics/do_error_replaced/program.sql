-- A key that moves from a row to another is no conflict when the first goes before the watermark moves on
CREATE TABLE orders (id INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'blackhole');

INSERT INTO sink_out SELECT name, id FROM orders ON CONFLICT DO ERROR;
