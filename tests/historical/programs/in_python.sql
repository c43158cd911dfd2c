-- Functions in Python, of `functions.py`: their code is compared, too.
CREATE FUNCTION doubled AS 'tests.historical.functions.Doubled' LANGUAGE PYTHON;
CREATE FUNCTION letters AS 'tests.historical.functions.Letters' LANGUAGE PYTHON;
CREATE FUNCTION longest AS 'tests.historical.functions.Longest' LANGUAGE PYTHON;
CREATE TABLE totals (shop STRING, longest STRING, s BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
CREATE TABLE spelled (letter STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/spelled', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT shop, longest(tags[1]), SUM(doubled(price)) FROM orders GROUP BY shop;
INSERT INTO spelled SELECT letter, COUNT(*) FROM shipments, LATERAL TABLE(letters(carrier)) AS t (letter) GROUP BY letter;
END;
