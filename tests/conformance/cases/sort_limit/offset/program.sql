-- ORDER BY with LIMIT and OFFSET over CDC
CREATE TABLE s (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, v FROM s ORDER BY v DESC, id LIMIT 2 OFFSET 1;
