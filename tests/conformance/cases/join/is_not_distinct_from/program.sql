-- null-safe join keys
CREATE TABLE l (id INT, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/l.json',
  'format' = 'json'
);

CREATE TABLE r (id INT, w STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/r.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, v STRING, w STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT l.id, v, w FROM l LEFT JOIN r ON l.id IS NOT DISTINCT FROM r.id;
