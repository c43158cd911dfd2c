-- several distinct columns over a CDC source
CREATE TABLE s (id INT, g STRING, a INT, b STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, da BIGINT, db BIGINT, sa INT, n BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, COUNT(DISTINCT a), COUNT(DISTINCT b), SUM(DISTINCT a), COUNT(*) FROM s GROUP BY g;
