-- Customers who spend more on the site and by catalogue than in shops, by year; and the best sellers of each.
CREATE TABLE growth (customer_code STRING, first_name STRING, last_name STRING, ratio DECIMAL(38, 6), place BIGINT)
  WITH ('connector' = 'blackhole');
INSERT INTO growth
WITH yearly AS (
  SELECT c.customer_code, c.first_name, c.last_name, d.yr, SUM(s.net_paid - s.coupon) AS total, 's' AS channel
  FROM customers AS c, shop_sales AS s, days AS d, addresses AS a
  WHERE c.customer_id = s.customer_id AND s.day_id = d.day_id AND a.address_id = c.address_id AND a.country = 'DE'
  GROUP BY c.customer_code, c.first_name, c.last_name, d.yr
  UNION ALL
  SELECT c.customer_code, c.first_name, c.last_name, d.yr, SUM(s.net_paid - s.coupon), 'c'
  FROM customers AS c, page_sales AS s, days AS d, pages AS p
  WHERE c.customer_id = s.customer_id AND s.day_id = d.day_id AND p.page_id = s.page_id AND p.kind <> 'old'
  GROUP BY c.customer_code, c.first_name, c.last_name, d.yr
  UNION ALL
  SELECT c.customer_code, c.first_name, c.last_name, d.yr, SUM(s.net_paid - s.coupon), 'w'
  FROM customers AS c, site_sales AS s, days AS d, promotions AS p
  WHERE c.customer_id = s.customer_id AND s.day_id = d.day_id AND p.promotion_id = s.promotion_id
    AND (p.by_mail = 'N' OR p.on_tv = 'N')
  GROUP BY c.customer_code, c.first_name, c.last_name, d.yr
),
loyal AS (
  SELECT customer_id FROM (
    SELECT s.customer_id, s.item_id FROM shop_sales AS s WHERE s.quantity > 1
    INTERSECT
    SELECT p.customer_id, p.item_id FROM page_sales AS p WHERE p.quantity > 1
  )
  UNION
  SELECT r.customer_id FROM shop_returns AS r GROUP BY r.customer_id HAVING COUNT(*) < 3
),
best AS (
  SELECT item_id, sold, place FROM (
    SELECT item_id, sold, ROW_NUMBER() OVER (PARTITION BY category ORDER BY sold DESC) AS place
    FROM (SELECT i.item_id, i.category, SUM(s.quantity) AS sold FROM items AS i JOIN shop_sales AS s
          ON i.item_id = s.item_id GROUP BY i.item_id, i.category)
  ) WHERE place <= 10
)
SELECT s2.customer_code, s2.first_name, s2.last_name, CAST(w2.total / s2.total AS DECIMAL(38, 6)), b.place
FROM yearly AS s1, yearly AS s2, yearly AS c1, yearly AS c2, yearly AS w1, yearly AS w2, customers AS x,
  page_sales AS p, best AS b
WHERE s2.customer_code = s1.customer_code AND s1.customer_code = c2.customer_code
  AND s1.customer_code = c1.customer_code AND s1.customer_code = w1.customer_code
  AND s1.customer_code = w2.customer_code AND x.customer_code = s1.customer_code
  AND p.customer_id = x.customer_id AND p.item_id = b.item_id
  AND s1.channel = 's' AND c1.channel = 'c' AND w1.channel = 'w'
  AND s2.channel = 's' AND c2.channel = 'c' AND w2.channel = 'w'
  AND s1.yr = 2001 AND s2.yr = 2002 AND c1.yr = 2001 AND c2.yr = 2002 AND w1.yr = 2001 AND w2.yr = 2002
  AND s1.total > 0 AND c1.total > 0 AND w1.total > 0
  AND CASE WHEN c1.total > 0 THEN c2.total / c1.total ELSE 0 END
    > CASE WHEN s1.total > 0 THEN s2.total / s1.total ELSE 0 END
  AND CASE WHEN c1.total > 0 THEN c2.total / c1.total ELSE 0 END
    > CASE WHEN w1.total > 0 THEN w2.total / w1.total ELSE 0 END
  AND x.customer_id IN (SELECT customer_id FROM loyal)
  AND EXISTS (SELECT 1 FROM site_sales AS o, days AS d WHERE o.customer_id = x.customer_id AND o.day_id = d.day_id
              AND d.yr = 2002 AND d.quarter < 4)
  AND NOT EXISTS (SELECT 1 FROM site_returns AS o WHERE o.customer_id = x.customer_id AND o.loss > 100);
