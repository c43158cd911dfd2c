-- PERCENTILE with frequency, decimals and retractions
CREATE TABLE s (id INT, g STRING, v DECIMAL(6,2), n INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, p DOUBLE, q DOUBLE, r ARRAY<DOUBLE>) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, PERCENTILE(v, 0.5), PERCENTILE(v, 0.25, n), PERCENTILE(v, ARRAY[0.0, 0.3, 1.0]) FROM s GROUP BY g;
