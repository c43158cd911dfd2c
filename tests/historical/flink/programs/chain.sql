-- A shared view, a join above an aggregate, an aggregate above a join; the TTL of all by an option.
SET 'table.exec.state.ttl' = '3650 d';
CREATE TABLE rich (shop STRING, n BIGINT, best INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/rich', 'format' = 'debezium-json');
CREATE TABLE few (n BIGINT, shops BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/few', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO rich SELECT c.shop, c.n, m.best FROM (SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop) AS c JOIN (SELECT shop, MAX(price) AS best FROM orders GROUP BY shop) AS m ON c.shop = m.shop;
INSERT INTO few SELECT n, COUNT(*) FROM (SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop) GROUP BY n;
END;
