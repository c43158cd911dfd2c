-- top-n over upsert source
SET 'table.exec.source.cdc-events-duplicate' = 'true';
CREATE TABLE u (id INT, g STRING, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/u.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (g STRING, id INT, rn BIGINT, PRIMARY KEY (g, rn) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT g, id, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC) rn FROM u) WHERE rn <= 2;
