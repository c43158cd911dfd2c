-- two CTEs, the second over the first, used twice
CREATE TABLE s (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, v INT, mx INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out WITH a AS (SELECT id, v FROM s WHERE v > 5), m (mx) AS (SELECT MAX(v) FROM a) SELECT a.id, a.v, m.mx FROM a, m;
