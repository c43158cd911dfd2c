-- UNNEST of COLLECT
CREATE TABLE s (g STRING, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (g STRING, v STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, v FROM (SELECT g, COLLECT(v) AS m FROM s GROUP BY g) t CROSS JOIN UNNEST(m) AS u(v);
