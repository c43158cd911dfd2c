-- upsert source joined, other key
SET 'table.exec.source.cdc-events-duplicate' = 'true';
CREATE TABLE u (id INT, k INT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/u.json',
  'format' = 'debezium-json'
);

CREATE TABLE d (k INT, nm STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/d.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, v STRING, nm STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, v, nm FROM u LEFT JOIN d ON u.k = d.k;
