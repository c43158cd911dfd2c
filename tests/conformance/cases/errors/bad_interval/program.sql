-- bad interval literal
CREATE TABLE a (ts TIMESTAMP(3)) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'json'
);

CREATE TABLE sink_out (d TIMESTAMP(3)) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT ts + INTERVAL '25:61' HOUR TO MINUTE FROM a;
