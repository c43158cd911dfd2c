-- casts of strings to everything, TRY_CAST
CREATE TABLE s (x STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TABLE sink_out (x STRING, i INT, b BIGINT, d DOUBLE, dc DECIMAL(6,2), bo BOOLEAN, dt DATE, tm TIME, ts TIMESTAMP(3)) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT x, TRY_CAST(x AS INT), TRY_CAST(x AS BIGINT), TRY_CAST(x AS DOUBLE), TRY_CAST(x AS DECIMAL(6,2)), TRY_CAST(x AS BOOLEAN), TRY_CAST(x AS DATE), TRY_CAST(x AS TIME), TRY_CAST(x AS TIMESTAMP(3)) FROM s;
