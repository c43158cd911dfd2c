-- INTERSECT ALL over append and CDC
CREATE TABLE a (id INT, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'debezium-json'
);

CREATE TABLE b (id INT, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT * FROM a INTERSECT ALL SELECT * FROM b;
