-- OVER in the order of a column.
CREATE TABLE by_price (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_price', 'format' = 'debezium-json');
INSERT INTO by_price SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY price) FROM orders;
