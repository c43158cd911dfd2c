CREATE TABLE orders (
  id INT, shop STRING, town STRING, price INT, pieces BIGINT, weight DOUBLE, paid DECIMAL(10, 2), tags ARRAY<STRING>,
  sold TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sold AS sold - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/orders', 'format' = 'json');
CREATE TABLE shipments (
  order_id INT, carrier STRING, sent TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sent AS sent - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/shipments', 'format' = 'json');
CREATE TABLE accounts (id INT, town STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/accounts', 'format' = 'debezium-json');
CREATE TABLE rates (
  town STRING, rate INT, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (town) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${folder}/rates', 'format' = 'debezium-json');
-- A sink by key, which plans of Flink up to 2.1 materialise: the plan is one of Flink's, see `cases.PLANS`.
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SET 'table.exec.state.ttl' = '36500 d';
CREATE TABLE big_ones (id INT, town STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/big_ones', 'format' = 'debezium-json');
CREATE TABLE by_town (town STRING, amount INT, PRIMARY KEY (town) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_town', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO big_ones SELECT id, town FROM accounts WHERE amount > 10;
INSERT INTO by_town SELECT town, amount FROM accounts;
END;
