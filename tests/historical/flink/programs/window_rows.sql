-- Joins, ranks and deduplication in windows.
CREATE TABLE best (shop STRING, id INT, ends TIMESTAMP(3), r BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/best', 'format' = 'json');
CREATE TABLE latest (shop STRING, id INT, ends TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/latest', 'format' = 'json');
CREATE TABLE met (id INT, carrier STRING, ends TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = '${folder}/met', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO best SELECT shop, id, window_end, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS r FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) WHERE r <= 2;
INSERT INTO latest SELECT shop, id, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, shop ORDER BY sold DESC) AS r FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) WHERE r <= 1;
INSERT INTO met SELECT o.id, s.carrier, o.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(sold), INTERVAL '1' MINUTE))) AS o JOIN (SELECT * FROM TABLE(TUMBLE(TABLE shipments, DESCRIPTOR(sent), INTERVAL '1' MINUTE))) AS s ON o.id = s.order_id AND o.window_start = s.window_start AND o.window_end = s.window_end;
END;
