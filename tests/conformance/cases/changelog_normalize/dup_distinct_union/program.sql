-- Two normalised tables, UNION of them
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE a (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'maxwell-json'
);

CREATE TABLE b (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'canal-json'
);

CREATE TABLE sink_out (customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT customer, amount FROM a UNION SELECT customer, amount FROM b;
