-- Rows of a table that is asked by key, stored for the retractions of the rows that they were joined with.
SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE';
CREATE TABLE carriers (name STRING, fee DECIMAL(10, 2)) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:derby:memory:historical', 'table-name' = 'carriers');
CREATE TABLE account_fees (id INT, carrier STRING, fee DECIMAL(10, 2))
WITH ('connector' = 'filesystem', 'path' = '${folder}/account_fees', 'format' = 'debezium-json');
CREATE VIEW sent AS
  SELECT id, CASE WHEN amount > 15 THEN 'ups' ELSE 'rail' END AS carrier, PROCTIME() AS p FROM accounts;
INSERT INTO account_fees SELECT s.id, s.carrier, c.fee FROM sent AS s
  LEFT JOIN carriers FOR SYSTEM_TIME AS OF s.p AS c ON s.carrier = c.name;
