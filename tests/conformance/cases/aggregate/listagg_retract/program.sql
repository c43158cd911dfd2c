-- LISTAGG with retractions, separator, null
CREATE TABLE s (id INT, g STRING, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, l STRING, l2 STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, LISTAGG(v), LISTAGG(v, '; ') FROM s GROUP BY g;
