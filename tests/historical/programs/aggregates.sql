-- Every accumulator, with and without retraction; grouping sets; unnested arrays; constant rows.
CREATE TABLE totals (
  shop STRING, n BIGINT, s INT, sb BIGINT, sd DOUBLE, sp DECIMAL(38, 2), av INT, avd DOUBLE, avp DECIMAL(38, 6),
  lo INT, hi STRING, firsts STRING, lasts STRING, texts STRING, towns BIGINT, dear BIGINT, dev DOUBLE, var DOUBLE,
  bag MULTISET<STRING>, prices ARRAY<INT>
) WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
CREATE TABLE balances (
  town STRING, n BIGINT, s INT, lo INT, hi INT, av INT, first_ INT, last_ INT, texts STRING, kinds BIGINT
) WITH ('connector' = 'filesystem', 'path' = '${folder}/balances', 'format' = 'debezium-json');
CREATE TABLE cube_ (shop STRING, town STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/cube_', 'format' = 'debezium-json');
CREATE TABLE tagged (tag STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/tagged', 'format' = 'debezium-json');
CREATE TABLE chances (id INT, chance DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${folder}/chances', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT shop, COUNT(*), SUM(price), SUM(pieces), SUM(weight), SUM(paid), AVG(price), AVG(weight),
  AVG(paid), MIN(price), MAX(town), FIRST_VALUE(town), LAST_VALUE(town), LISTAGG(town), COUNT(DISTINCT town),
  COUNT(*) FILTER (WHERE price > 10), STDDEV_POP(weight), VAR_SAMP(weight), COLLECT(town), ARRAY_AGG(price)
  FROM orders GROUP BY shop;
INSERT INTO balances SELECT town, COUNT(*), SUM(amount), MIN(amount), MAX(amount), AVG(amount), FIRST_VALUE(amount),
  LAST_VALUE(amount), LISTAGG(CAST(id AS STRING)), COUNT(DISTINCT amount) FROM accounts GROUP BY town;
INSERT INTO cube_ SELECT shop, town, COUNT(*) FROM orders GROUP BY GROUPING SETS ((shop), (town), ());
INSERT INTO tagged SELECT tag, COUNT(*) FROM (
  SELECT tag FROM orders CROSS JOIN UNNEST(tags) AS t (tag)
  UNION ALL SELECT word FROM (VALUES ('new'), ('sale')) AS v (word)) GROUP BY tag;
INSERT INTO chances SELECT id, RAND(7) FROM orders;
END;
