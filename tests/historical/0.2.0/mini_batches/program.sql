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
-- Two phases of aggregates, and three where a distinct one is split.
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '1000';
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
CREATE TABLE totals (shop STRING, n BIGINT, s INT, av DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
CREATE TABLE kinds (town STRING, shops BIGINT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/kinds', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT shop, COUNT(*), SUM(price), AVG(weight) FROM orders GROUP BY shop;
INSERT INTO kinds SELECT town, COUNT(DISTINCT shop), COUNT(*) FROM orders GROUP BY town;
END;
