-- top 2 of sums (updates on the sort key)
CREATE TABLE s (g STRING, p STRING, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (g STRING, p STRING, t INT, rn BIGINT, PRIMARY KEY (g, rn) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, p, t, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY t DESC) AS rn FROM (SELECT g, p, SUM(v) AS t FROM s GROUP BY g, p)) WHERE rn <= 2;
