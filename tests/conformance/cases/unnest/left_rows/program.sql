-- LEFT JOIN UNNEST of rows
CREATE TABLE s (id INT, a ARRAY<ROW<x INT, y STRING>>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, x INT, y STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, x, y FROM s LEFT JOIN UNNEST(s.a) AS t(x, y) ON TRUE;
