-- A sort of all rows at the end of the input.
SET 'table.exec.non-temporal-sort.enabled' = 'true';
CREATE TABLE in_order (id INT, price INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/in_order', 'format' = 'json');
INSERT INTO in_order SELECT id, price FROM orders ORDER BY price, id DESC;
