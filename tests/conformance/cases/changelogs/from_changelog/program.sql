-- Rows with a code as changes: several codes of a kind, an aggregate that retracts, a sink with a key
CREATE TABLE events (id INT, code STRING, name STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/events.json',
  'format' = 'json'
);

CREATE TABLE latest (id INT PRIMARY KEY NOT ENFORCED, name STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/latest',
  'format' = 'debezium-json'
);

CREATE TABLE totals (name STRING, n BIGINT, total INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/totals',
  'format' = 'debezium-json'
);

CREATE VIEW changes AS SELECT * FROM FROM_CHANGELOG(
  input => TABLE events,
  op => DESCRIPTOR(code),
  op_mapping => MAP['c, r', 'INSERT', 'ub', 'UPDATE_BEFORE', 'ua', 'UPDATE_AFTER', 'd', 'DELETE']);

EXECUTE STATEMENT SET BEGIN
INSERT INTO latest SELECT id, name, amount FROM changes;
INSERT INTO totals SELECT name, COUNT(*), SUM(amount) FROM changes WHERE amount < 100 GROUP BY name;
END;
