-- OVER and sort by the clock.
CREATE TABLE so_far (id INT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/so_far', 'format' = 'json');
CREATE TABLE in_order (id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/in_order', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO so_far SELECT id, SUM(price) OVER (PARTITION BY shop ORDER BY p) FROM orders;
INSERT INTO in_order SELECT id FROM orders ORDER BY p, id;
END;
