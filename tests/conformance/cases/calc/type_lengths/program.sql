-- Types without a length, in columns, nested and in casts
CREATE TABLE people (id INT, name VARCHAR, note CHARACTER VARYING, code CHAR VARYING(3), bin VARBINARY,
  tags ARRAY<VARCHAR>, r ROW<x VARCHAR, y VARCHAR(4)>, m MAP<VARCHAR, VARCHAR>) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/people.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id VARCHAR, name VARCHAR, note STRING, code VARCHAR, text STRING, tag STRING, x VARCHAR, y STRING,
  v STRING, padded STRING, amount STRING, bytes_ STRING, arr STRING, lengths INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'json'
);

INSERT INTO sink_out SELECT CAST(id + 1000 AS VARCHAR), name, note, code, CAST(bin AS VARCHAR), tags[2], r.x, r.y, m['k'],
  CAST(name AS CHAR(6)) || '|', CAST(CAST(id AS DEC(5, 2)) AS CHAR VARYING), CAST(CAST(name AS BINARY VARYING) AS STRING),
  CAST(CAST(ARRAY[id, 12345] AS VARCHAR ARRAY) AS STRING), CHAR_LENGTH(CAST(name AS VARCHAR)) + CHAR_LENGTH(CAST(id AS CHAR(4)))
FROM people;
