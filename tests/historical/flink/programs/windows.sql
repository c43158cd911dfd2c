-- Windows of two phases, and the older syntax.
CREATE TABLE tumbled (shop STRING, ends TIMESTAMP(3), n BIGINT, s INT, towns BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/tumbled', 'format' = 'json');
CREATE TABLE hopped (ends TIMESTAMP(3), s INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/hopped', 'format' = 'json');
CREATE TABLE cumulated (town STRING, ends TIMESTAMP(3), av DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${folder}/cumulated', 'format' = 'json');
CREATE TABLE grouped (shop STRING, ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/grouped', 'format' = 'json');
CREATE TABLE sessions (shop STRING, ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sessions', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO tumbled SELECT shop, window_end, COUNT(*), SUM(price), COUNT(DISTINCT town) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE)) GROUP BY shop, window_start, window_end;
INSERT INTO hopped SELECT window_end, SUM(price) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(sold), INTERVAL '30' SECOND, INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
INSERT INTO cumulated SELECT town, window_end, AVG(weight) FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(sold), INTERVAL '30' SECOND, INTERVAL '1' MINUTE)) GROUP BY town, window_start, window_end;
INSERT INTO grouped SELECT shop, TUMBLE_END(sold, INTERVAL '1' MINUTE), COUNT(*) FROM orders GROUP BY shop, TUMBLE(sold, INTERVAL '1' MINUTE);
INSERT INTO sessions SELECT shop, SESSION_END(sold, INTERVAL '30' SECOND), COUNT(*) FROM orders GROUP BY shop, SESSION(sold, INTERVAL '30' SECOND);
END;
