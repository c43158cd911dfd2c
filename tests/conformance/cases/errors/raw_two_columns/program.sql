-- Format raw holds one column
CREATE TABLE ev (id INT, v STRING) WITH ('connector' = 'filesystem', 'path' = '${data}/ev.json', 'format' = 'raw');

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM ev;
