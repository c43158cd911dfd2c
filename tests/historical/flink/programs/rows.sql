-- Calc, union, unnested arrays, constant rows.
CREATE TABLE texts (id INT, t STRING, d DECIMAL(20, 4), l STRING, c STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/texts', 'format' = 'json');
CREATE TABLE words (id INT, word STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/words', 'format' = 'json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO texts SELECT id, UPPER(shop) || '-' || COALESCE(town, '?'), paid * 2, CAST(sold AS STRING), CASE WHEN price > 15 THEN 'dear' WHEN price > 5 THEN 'fair' ELSE 'cheap' END FROM orders WHERE price <> 12 AND shop IN ('x', 'y');
INSERT INTO words SELECT id, tag FROM orders CROSS JOIN UNNEST(tags) AS t (tag) UNION ALL SELECT n, word FROM (VALUES (1, 'one'), (2, 'two')) AS v (n, word);
END;
