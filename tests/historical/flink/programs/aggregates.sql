-- Aggregates of rows and of changes, grouping sets.
CREATE TABLE totals (shop STRING, n BIGINT, s INT, av DOUBLE, lo INT, hi STRING, texts STRING, towns BIGINT, dear BIGINT, f STRING, l STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
CREATE TABLE balances (town STRING, n BIGINT, s INT, lo INT, hi INT, kinds BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/balances', 'format' = 'debezium-json');
CREATE TABLE sets_ (shop STRING, town STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sets_', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT shop, COUNT(*), SUM(price), AVG(weight), MIN(price), MAX(town), LISTAGG(town), COUNT(DISTINCT town), COUNT(*) FILTER (WHERE price > 10), FIRST_VALUE(town), LAST_VALUE(town) FROM orders GROUP BY shop;
INSERT INTO balances SELECT town, COUNT(*), SUM(amount), MIN(amount), MAX(amount), COUNT(DISTINCT amount) FROM accounts GROUP BY town;
INSERT INTO sets_ SELECT shop, town, COUNT(*) FROM orders GROUP BY GROUPING SETS ((shop), (town), ());
END;
