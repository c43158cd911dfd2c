-- A program with the functions of prices.py in this folder:
--   compile-plan samples/functions/program.sql -o plan.json
--   execute-plan plan.json --functions-from prices
CREATE FUNCTION discounted AS 'prices.Discounted' LANGUAGE PYTHON;
CREATE FUNCTION tags AS 'prices.Tags' LANGUAGE PYTHON;
CREATE FUNCTION mean_price AS 'prices.MeanPrice' LANGUAGE PYTHON;

CREATE TABLE sales (
  id INT NOT NULL, price DECIMAL(10, 2), pieces INT, tags STRING
) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = 'data/functions/sales');
CREATE TABLE by_tag (tag STRING, mean DECIMAL(10, 2), sales BIGINT)
  WITH ('connector' = 'filesystem', 'format' = 'debezium-json', 'path' = 'out/functions/by_tag');
CREATE TABLE reduced (id INT, tag STRING, price DECIMAL(10, 2))
  WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = 'out/functions/reduced');

EXECUTE STATEMENT SET BEGIN
INSERT INTO by_tag
  SELECT tag, mean_price(price, pieces), COUNT(*)
  FROM sales, LATERAL TABLE(tags(sales.tags)) AS t(tag, place) GROUP BY tag;
INSERT INTO reduced
  SELECT id, tag, discounted(price => price, reduction => 10 * place)
  FROM sales LEFT JOIN LATERAL TABLE(tags(sales.tags)) AS t(tag, place) ON TRUE
  WHERE discounted(price) < 50;
END;
