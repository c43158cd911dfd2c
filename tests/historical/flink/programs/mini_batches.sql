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
