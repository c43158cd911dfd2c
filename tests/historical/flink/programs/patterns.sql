-- MATCH_RECOGNIZE.
CREATE TABLE drops (shop STRING, high INT, low INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/drops', 'format' = 'json');
INSERT INTO drops SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY shop ORDER BY sold MEASURES A.price AS high, LAST(B.price) AS low ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C) DEFINE B AS B.price < A.price, C AS C.price >= A.price);
