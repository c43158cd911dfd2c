-- What only Flink's Table API gives: a temporal table function as of now, and windows of so many rows. The plan is edited, see
-- `cases.EDITS`.
CREATE TABLE converted (id INT, value_ INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/converted', 'format' = 'json');
CREATE TABLE threes (shop STRING, s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/threes', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO converted SELECT o.id, o.price * r.rate FROM orders AS o
  JOIN rates FOR SYSTEM_TIME AS OF o.sold AS r ON o.town = r.town;
INSERT INTO threes SELECT shop, SUM(price) FROM orders GROUP BY shop, TUMBLE(p, INTERVAL '1' MINUTE);
END;
