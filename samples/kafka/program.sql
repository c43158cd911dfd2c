-- Sales by country: orders of a topic, joined with the newest version of their customers, upserted into PostgreSQL.
INSERT INTO sales_by_country
SELECT c.country, COUNT(*), SUM(CAST(o.amount AS BIGINT))
FROM orders AS o JOIN customers AS c ON o.customer = c.customer
GROUP BY c.country;
