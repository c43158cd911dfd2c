-- top 2 over CDC, two orders with nulls, rank selected
CREATE TABLE s (id INT, g STRING, v INT, w STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, id INT, rn BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, id, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, w ASC) AS rn FROM s) WHERE rn <= 2;
