-- Operators of the clock and of arrival.
CREATE TABLE so_far (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/so_far', 'format' = 'json');
CREATE TABLE lately (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/lately', 'format' = 'json');
CREATE TABLE by_price (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_price', 'format' = 'debezium-json');
CREATE TABLE in_order (id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/in_order', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO so_far SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY p) FROM orders;
INSERT INTO lately SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders;
INSERT INTO by_price SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY price) FROM orders;
INSERT INTO in_order SELECT id FROM orders ORDER BY p, id;
END;
