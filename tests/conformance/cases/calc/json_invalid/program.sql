-- JSON functions over texts that are no JSON, lax and strict
CREATE TABLE s (j STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (a STRING, b STRING, c STRING, d STRING, e STRING, f STRING, g BOOLEAN, h STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT JSON_VALUE(j, 'lax $.a' DEFAULT 'empty' ON EMPTY DEFAULT 'error' ON ERROR), JSON_VALUE(j, 'strict $.a' DEFAULT 'empty' ON EMPTY DEFAULT 'error' ON ERROR), JSON_VALUE(j, '$.a.b' DEFAULT 'empty' ON EMPTY DEFAULT 'error' ON ERROR), JSON_QUERY(j, 'lax $.a' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR), JSON_QUERY(j, 'strict $.a' EMPTY ARRAY ON EMPTY EMPTY OBJECT ON ERROR), JSON_QUERY(j, '$.a' WITH WRAPPER NULL ON EMPTY NULL ON ERROR), JSON_EXISTS(j, 'lax $.a' TRUE ON ERROR), JSON_VALUE(j, 'lax $.zz' DEFAULT 'none' ON EMPTY) FROM s;
