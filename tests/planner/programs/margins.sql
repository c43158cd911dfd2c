-- Sales with what came back, in three channels, by rollup; only places above the average of all.
CREATE TABLE margins (channel STRING, place STRING, sales DECIMAL(38, 2), returned DECIMAL(38, 2),
  profit DECIMAL(38, 2), grand DECIMAL(38, 2)) WITH ('connector' = 'blackhole');
CREATE TABLE seasons (item_code STRING, city STRING, first_half BIGINT, second_half BIGINT, rest BIGINT)
  WITH ('connector' = 'blackhole');
BEGIN STATEMENT SET;
INSERT INTO margins
WITH shop_side AS (
  SELECT h.shop_name AS place, SUM(s.net_paid) AS sales, SUM(s.net_profit) AS profit, SUM(r.amount) AS returned
  FROM shop_sales AS s
  LEFT JOIN shop_returns AS r ON s.item_id = r.item_id AND s.ticket = r.ticket
  JOIN shops AS h ON h.shop_id = s.shop_id
  JOIN days AS d ON d.day_id = s.day_id
  JOIN items AS i ON i.item_id = s.item_id
  JOIN promotions AS p ON p.promotion_id = s.promotion_id
  WHERE d.day_date BETWEEN DATE '2002-08-01' AND DATE '2002-08-31' AND i.price > 50 AND p.on_tv = 'N'
  GROUP BY h.shop_name
),
page_side AS (
  SELECT g.page_code AS place, SUM(s.net_paid) AS sales, SUM(s.net_profit) AS profit, SUM(r.amount) AS returned
  FROM page_sales AS s
  LEFT JOIN page_returns AS r ON s.item_id = r.item_id AND s.ticket = r.ticket
  JOIN pages AS g ON g.page_id = s.page_id
  JOIN days AS d ON d.day_id = s.day_id
  JOIN items AS i ON i.item_id = s.item_id
  JOIN promotions AS p ON p.promotion_id = s.promotion_id
  WHERE d.day_date BETWEEN DATE '2002-08-01' AND DATE '2002-08-31' AND i.price > 50 AND p.on_tv = 'N'
  GROUP BY g.page_code
),
site_side AS (
  SELECT CAST(s.site_id AS STRING) AS place, SUM(s.net_paid) AS sales, SUM(s.net_profit) AS profit,
    SUM(r.amount) AS returned
  FROM site_sales AS s
  LEFT JOIN site_returns AS r ON s.item_id = r.item_id AND s.ticket = r.ticket
  JOIN days AS d ON d.day_id = s.day_id
  JOIN items AS i ON i.item_id = s.item_id
  JOIN promotions AS p ON p.promotion_id = s.promotion_id
  WHERE d.day_date BETWEEN DATE '2002-08-01' AND DATE '2002-08-31' AND i.price > 50 AND p.on_tv = 'N'
  GROUP BY s.site_id
),
every_side AS (
  SELECT 'shop' AS channel, place, sales, returned, profit FROM shop_side
  UNION ALL SELECT 'page', place, sales, returned, profit FROM page_side
  UNION ALL SELECT 'site', place, sales, returned, profit FROM site_side
)
SELECT e.channel, e.place, SUM(e.sales), SUM(COALESCE(e.returned, 0)), SUM(e.profit), MAX(g.grand)
FROM every_side AS e, (SELECT AVG(sales) AS average, SUM(sales) AS grand FROM every_side) AS g
WHERE e.sales > g.average AND e.place IN (SELECT shop_name FROM shops UNION SELECT page_code FROM pages)
GROUP BY ROLLUP (e.channel, e.place);
INSERT INTO seasons
SELECT i.item_code, a.city,
  COUNT(CASE WHEN d.mon <= 6 THEN 1 END), COUNT(CASE WHEN d.mon > 6 THEN 1 END), COUNT(DISTINCT s.ticket)
FROM shop_sales AS s, items AS i, days AS d, customers AS c, addresses AS a, customer_groups AS g, homes AS h, bands AS b,
  shops AS o
WHERE s.item_id = i.item_id AND s.day_id = d.day_id AND s.customer_id = c.customer_id AND c.address_id = a.address_id
  AND c.home_id = h.home_id AND h.band_id = b.band_id AND s.shop_id = o.shop_id AND o.zip = a.zip
  AND ((g.group_id = s.group_id AND g.marital = 'M' AND g.education = 'College' AND s.list_price BETWEEN 100 AND 150)
    OR (g.group_id = s.group_id AND g.marital = 'S' AND g.education = 'Primary' AND s.list_price BETWEEN 50 AND 100)
    OR (s.group_id = g.group_id AND g.marital = 'W' AND h.dependents = 1))
  AND s.net_profit > (SELECT AVG(net_profit) FROM shop_sales)
  AND s.quantity > (SELECT AVG(x.quantity) FROM shop_sales AS x WHERE x.item_id = i.item_id)
  AND i.category IN (SELECT category FROM items WHERE colour IN ('red', 'blue') EXCEPT SELECT category FROM items
                     WHERE maker > 900)
  AND EXISTS (SELECT 1 FROM site_sales AS w WHERE w.customer_id = c.customer_id AND w.item_id = s.item_id)
  AND (d.yr, d.quarter) IN (SELECT yr, quarter FROM days WHERE weekday = 'Sunday')
GROUP BY i.item_code, a.city HAVING COUNT(*) > 3;
END;
