-- Lines of text, split by functions
CREATE TABLE ev (line STRING) WITH ('connector' = 'filesystem', 'path' = '${data}/ev.json', 'format' = 'raw');

CREATE TABLE sink_out (level STRING, n BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT SPLIT_INDEX(line, ' ', 0), COUNT(*) FROM ev WHERE CHAR_LENGTH(line) > 3 GROUP BY SPLIT_INDEX(line, ' ', 0);
