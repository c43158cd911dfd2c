-- EXCEPT ALL over CDC
CREATE TABLE a (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'debezium-json'
);

CREATE TABLE b (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM a EXCEPT ALL SELECT id FROM b;
