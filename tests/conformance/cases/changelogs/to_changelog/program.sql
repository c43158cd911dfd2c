-- The changes of a table as rows: kinds share a code, -U is dropped, the time attribute stays one
CREATE TABLE accounts (id INT, owner STRING, balance DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/accounts.json',
  'format' = 'debezium-json'
);

CREATE TABLE audit (deleted STRING, id INT, owner STRING, balance DECIMAL(10, 2)) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/audit',
  'format' = 'json'
);

CREATE TABLE per_hour (code STRING, window_start TIMESTAMP(3), n BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/per_hour',
  'format' = 'json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO audit SELECT deleted, id, owner, balance FROM TO_CHANGELOG(
  input => TABLE accounts,
  op => DESCRIPTOR(deleted),
  op_mapping => MAP['INSERT, UPDATE_AFTER', 'false', 'DELETE', 'true']) WHERE id > 1;
INSERT INTO per_hour SELECT op, window_start, COUNT(*) FROM TUMBLE(
  DATA => (SELECT * FROM TO_CHANGELOG(TABLE accounts)), TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' HOUR)
GROUP BY op, window_start, window_end;
END;
