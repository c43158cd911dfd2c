-- Grouping sets, cubes and rollups: composed, nested, over NULL literals, with GROUPING and GROUPING_ID everywhere
CREATE TABLE sales (shop STRING, item STRING, price INT) WITH (
  'connector' = 'filesystem', 'path' = '${data}/sales.json', 'format' = 'json');
CREATE TABLE nulls (a STRING, b BIGINT, c INT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/nulls', 'format' = 'debezium-json');
CREATE TABLE given (a STRING, b BIGINT, c INT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/given', 'format' = 'debezium-json');
CREATE TABLE ids (a STRING, b STRING, x BIGINT, y BIGINT, z BIGINT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/ids', 'format' = 'debezium-json');
CREATE TABLE nested (a STRING, b STRING, c INT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/nested', 'format' = 'debezium-json');
CREATE TABLE named (a STRING, b INT, c INT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/named', 'format' = 'debezium-json');
CREATE TABLE chosen (a STRING, b STRING, c INT, n BIGINT) WITH (
  'connector' = 'filesystem', 'path' = '${out}/chosen', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO nulls SELECT shop, CAST(NULL AS BIGINT), SUM(price), COUNT(*) FROM sales
  GROUP BY GROUPING SETS ((shop, CAST(NULL AS BIGINT)), (shop), ());
INSERT INTO given SELECT a, b, SUM(price), COUNT(*) FROM (SELECT shop AS a, CAST(NULL AS BIGINT) AS b, price FROM sales)
  GROUP BY GROUPING SETS ((a, b), (a), (b), ());
INSERT INTO ids SELECT shop, item, GROUPING(shop), GROUPING(item), GROUPING_ID(item, shop), COUNT(*) FROM sales
  GROUP BY CUBE (shop, item);
INSERT INTO nested SELECT shop, item, SUM(price), COUNT(DISTINCT price) FROM sales
  GROUP BY GROUPING SETS (ROLLUP(shop, item), (item));
INSERT INTO named SELECT CASE WHEN GROUPING(shop) = 1 THEN 'all' ELSE shop END, CHAR_LENGTH(item), MAX(price), COUNT(*)
  FROM sales GROUP BY ROLLUP (shop, CHAR_LENGTH(item));
INSERT INTO chosen SELECT shop, item, MIN(price), COUNT(*) FROM sales
  GROUP BY shop, ROLLUP (item) HAVING GROUPING(item) = 1 OR COUNT(*) > 1;
END;
