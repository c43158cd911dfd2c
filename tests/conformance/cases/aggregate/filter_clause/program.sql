-- FILTER and DISTINCT in one query
CREATE TABLE s (g STRING, v INT, t STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (g STRING, n BIGINT, np BIGINT, sp INT, dv BIGINT, dp BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, COUNT(*), COUNT(*) FILTER (WHERE t = 'p'), SUM(v) FILTER (WHERE t = 'p'), COUNT(DISTINCT v), COUNT(DISTINCT v) FILTER (WHERE t = 'p') FROM s GROUP BY g;
