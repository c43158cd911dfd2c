-- Operators that wait for watermarks, with rows that wait when the run stops.
CREATE TABLE so_far (id INT, s INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/so_far', 'format' = 'json');
CREATE TABLE lately (id INT, s INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/lately', 'format' = 'json');
CREATE TABLE sent_soon (id INT, carrier STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sent_soon', 'format' = 'json');
CREATE TABLE converted (id INT, value_ INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/converted', 'format' = 'json');
CREATE TABLE drops (shop STRING, high INT, low INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/drops', 'format' = 'json');
CREATE TABLE in_order (id INT, sold TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/in_order', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO so_far SELECT id, SUM(price) OVER w, COUNT(*) OVER w FROM orders WINDOW w AS (PARTITION BY shop ORDER BY sold);
INSERT INTO lately SELECT id, SUM(price) OVER w, COUNT(*) OVER w FROM orders
  WINDOW w AS (PARTITION BY shop ORDER BY sold ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
INSERT INTO sent_soon SELECT o.id, s.carrier FROM orders AS o LEFT JOIN shipments AS s
  ON o.id = s.order_id AND s.sent BETWEEN o.sold AND o.sold + INTERVAL '1' MINUTE;
INSERT INTO converted SELECT o.id, o.price * r.rate FROM orders AS o
  LEFT JOIN rates FOR SYSTEM_TIME AS OF o.sold AS r ON o.town = r.town;
INSERT INTO drops SELECT * FROM orders MATCH_RECOGNIZE (
  PARTITION BY shop ORDER BY sold MEASURES A.price AS high, LAST(B.price) AS low
  ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C)
  DEFINE B AS B.price < A.price, C AS C.price >= A.price);
INSERT INTO in_order SELECT id, sold FROM orders ORDER BY sold, id DESC;
END;
