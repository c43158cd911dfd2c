-- SUM and AVG when the last non-null value is deleted
CREATE TABLE s (id INT, g STRING, v INT, d DOUBLE, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, s INT, a INT, sd DOUBLE, mn INT, n BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, SUM(v), AVG(v), SUM(d), MIN(v), COUNT(*) FROM s GROUP BY g;
