-- PERCENTILE with a fraction above 1
CREATE TABLE s (v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (p DOUBLE) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT PERCENTILE(v, 1.5) FROM s;
