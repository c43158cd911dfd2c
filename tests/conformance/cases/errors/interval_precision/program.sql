-- interval of 100 days without a precision
CREATE TABLE a (d DATE) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'json'
);

CREATE TABLE sink_out (d DATE) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT d + INTERVAL '100' DAY FROM a;
