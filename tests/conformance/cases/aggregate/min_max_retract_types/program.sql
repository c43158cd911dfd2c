-- MIN and MAX of several types with deletes
CREATE TABLE s (id INT, i INT, d DECIMAL(8,2), st STRING, dt DATE, ts TIMESTAMP(3), b DOUBLE, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (a INT, b INT, c DECIMAL(8,2), d DECIMAL(8,2), e STRING, f STRING, g DATE, h DATE, i TIMESTAMP(3), j TIMESTAMP(3), k DOUBLE, l DOUBLE) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT MIN(i), MAX(i), MIN(d), MAX(d), MIN(st), MAX(st), MIN(dt), MAX(dt), MIN(ts), MAX(ts), MIN(b), MAX(b) FROM s;
