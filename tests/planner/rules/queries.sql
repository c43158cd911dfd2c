SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid AND p.paid > o.qty)
SELECT oid FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.paid > o.qty)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid AND EXISTS (SELECT 1 FROM k WHERE k.id = p.pid))
SELECT oid FROM o WHERE EXISTS (SELECT SUM(paid) FROM p WHERE p.oid = o.oid GROUP BY pid)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid ORDER BY pid LIMIT 1)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid UNION ALL SELECT 1 FROM k WHERE k.id = o.oid)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p JOIN k ON p.pid = k.id WHERE p.oid = o.oid AND k.v < o.qty)
SELECT oid FROM o WHERE oid IN (SELECT oid FROM p)
SELECT oid FROM o WHERE oid NOT IN (SELECT oid FROM p)
SELECT oid FROM o WHERE oid NOT IN (SELECT oid FROM p WHERE oid IS NOT NULL)
SELECT oid FROM o WHERE qty NOT IN (SELECT paid FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE (oid, qty) IN (SELECT oid, paid FROM p)
SELECT oid FROM o WHERE (oid, qty) NOT IN (SELECT oid, paid FROM p)
SELECT oid FROM o WHERE qty IN (SELECT MAX(paid) FROM p GROUP BY oid)
SELECT oid FROM o WHERE qty IN (SELECT MAX(paid) FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE qty IN (SELECT paid + o.oid FROM p)
SELECT oid FROM o WHERE qty > ALL (SELECT paid FROM p)
SELECT oid FROM o WHERE qty > ALL (SELECT paid FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE NOT (qty > ALL (SELECT paid FROM p))
SELECT oid FROM o WHERE qty <= ANY (SELECT paid FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE NOT (qty <= SOME (SELECT paid FROM p))
SELECT oid FROM o WHERE qty > 3 OR EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE qty > 3 OR NOT EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid AND paid > 2)
SELECT oid FROM o WHERE qty > 3 OR EXISTS (SELECT 1 FROM p WHERE paid = 2)
SELECT oid FROM o WHERE qty > 3 OR oid IN (SELECT oid FROM p)
SELECT oid FROM o WHERE qty > 3 OR oid NOT IN (SELECT oid FROM p)
SELECT oid FROM o WHERE qty > 3 OR qty NOT IN (SELECT paid FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE NOT (qty > 3 OR oid IN (SELECT oid FROM p))
SELECT oid, oid IN (SELECT oid FROM p) FROM o
SELECT oid, qty NOT IN (SELECT paid FROM p WHERE p.oid = o.oid) FROM o
SELECT oid, EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid) FROM o
SELECT oid, CASE WHEN EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid) THEN 'y' ELSE 'n' END FROM o
SELECT oid, (SELECT COUNT(*) FROM p WHERE p.oid = o.oid) FROM o
SELECT oid, (SELECT COUNT(*) FROM p WHERE p.paid < o.qty) FROM o
SELECT oid, (SELECT COUNT(paid) + 1 FROM p WHERE p.oid = o.oid) FROM o
SELECT oid, (SELECT SUM(paid) FROM p WHERE p.oid = o.oid) FROM o
SELECT oid, (SELECT SUM(paid) FROM p WHERE p.oid = o.oid AND p.paid > 1 HAVING COUNT(*) > 1) FROM o
SELECT oid, (SELECT MAX(paid) FROM p) FROM o
SELECT oid, (SELECT paid FROM p WHERE p.oid = o.oid ORDER BY paid DESC, pid LIMIT 1) FROM o
SELECT oid, (SELECT v FROM k WHERE k.id = o.oid) FROM o
SELECT oid, (SELECT v + 1 FROM k WHERE k.id = o.oid) FROM o
SELECT oid FROM o WHERE qty > (SELECT AVG(paid) FROM p)
SELECT oid FROM o WHERE qty = (SELECT MAX(paid) FROM p WHERE p.oid = o.oid)
SELECT oid FROM o WHERE (SELECT COUNT(*) FROM p WHERE p.oid = o.oid) = 0
SELECT oid FROM o AS x WHERE qty >= (SELECT AVG(qty) FROM o AS y WHERE y.cust = x.cust)
SELECT o.oid FROM o JOIN p ON o.oid = p.oid AND o.qty IN (SELECT v FROM k)
SELECT cust FROM o GROUP BY cust HAVING SUM(qty) > (SELECT AVG(paid) FROM p)
SELECT cust FROM o GROUP BY cust HAVING EXISTS (SELECT 1 FROM c WHERE c.name = o.cust)
SELECT o.oid, t.paid FROM o, LATERAL (SELECT paid FROM p WHERE p.oid = o.oid AND p.paid > o.qty) AS t
SELECT o.oid, t.paid FROM o LEFT JOIN LATERAL (SELECT paid FROM p WHERE p.oid = o.oid) AS t ON TRUE
SELECT o.oid, t.paid FROM o LEFT JOIN LATERAL (SELECT paid, pid FROM p WHERE p.oid = o.oid) AS t ON t.pid > o.qty
SELECT o.oid, t.n FROM o LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM p WHERE p.oid = o.oid) AS t ON TRUE
SELECT o.oid, t.n FROM o LEFT JOIN LATERAL (SELECT SUM(paid) + COUNT(*) AS n FROM p WHERE p.oid = o.oid) AS t ON TRUE
SELECT o.oid, t.m FROM o LEFT JOIN LATERAL (SELECT paid, MAX(pid) AS m FROM p WHERE p.oid = o.oid GROUP BY paid) t ON TRUE
SELECT t.name, x.oid FROM (SELECT DISTINCT name FROM c) t, LATERAL (SELECT oid FROM o WHERE cust = t.name ORDER BY qty DESC, oid LIMIT 2) x
SELECT o.oid, p.paid FROM o LEFT JOIN p ON o.oid = p.oid AND o.qty < 3 WHERE o.cust = 'a'
SELECT o.oid, p.paid FROM o LEFT JOIN p ON o.oid = p.oid AND p.paid > 1
SELECT o.oid, p.paid FROM o LEFT JOIN p ON o.oid = p.oid WHERE p.paid > 1
SELECT o.oid, p.paid FROM o LEFT JOIN p ON o.oid = p.oid WHERE p.paid IS NULL
SELECT o.oid, p.paid FROM o LEFT JOIN p ON o.oid = p.oid WHERE p.paid > 1 OR o.qty > 2
SELECT o.oid, p.paid FROM o RIGHT JOIN p ON o.oid = p.oid WHERE o.qty > 1
SELECT o.oid, p.paid FROM o FULL JOIN p ON o.oid = p.oid AND o.qty > 2 WHERE o.qty + p.paid > 1
SELECT o.oid, p.paid FROM o FULL JOIN p ON o.oid = p.oid AND o.qty > 2
SELECT o.oid, p.paid FROM o FULL JOIN p ON o.oid = p.oid WHERE p.paid = 2
SELECT o.oid FROM o, p WHERE o.oid = p.oid AND o.qty + p.paid > 4 AND o.qty > 1 AND p.paid < 9
SELECT o.oid FROM o JOIN p ON o.oid + 1 = p.oid + p.pid
SELECT o.oid, k.v FROM o JOIN p ON o.oid = p.oid LEFT JOIN k ON k.id = p.pid AND k.v > o.qty WHERE p.paid > 0
SELECT o.oid FROM o JOIN p ON o.oid IS NOT DISTINCT FROM p.oid
SELECT x.cust, y.total, z.n FROM totals x JOIN totals y ON x.cust = y.cust JOIN totals z ON y.n = z.n WHERE x.total > 1
SELECT cust, n FROM totals WHERE cust = 'a' AND n > 1
SELECT cust, COUNT(*), SUM(DISTINCT qty), COUNT(DISTINCT oid) FILTER (WHERE qty > 1) FROM o GROUP BY cust
SELECT cust, qty, COUNT(*), GROUPING(cust), GROUPING_ID(cust, qty) FROM o GROUP BY ROLLUP (cust, qty)
SELECT qty, SUM(qty), COUNT(*) FROM o GROUP BY CUBE (qty, oid)
SELECT cust, COUNT(*) FROM o GROUP BY GROUPING SETS ((cust), (qty)) HAVING GROUPING(cust) = 0 AND COUNT(*) > 1
SELECT AVG(qty), SUM(qty), COUNT(qty), COUNT(*) FROM o
SELECT DISTINCT cust, qty FROM o WHERE qty > 1
SELECT oid FROM o UNION SELECT oid FROM p
SELECT oid FROM o INTERSECT SELECT oid FROM p
SELECT oid FROM o INTERSECT ALL SELECT oid FROM p
SELECT oid FROM o EXCEPT SELECT oid FROM p
SELECT oid FROM o EXCEPT ALL SELECT oid FROM p
SELECT x FROM (SELECT oid AS x, qty FROM o UNION ALL SELECT oid, paid FROM p) WHERE x > 1 AND qty < 4
SELECT oid, r FROM (SELECT oid, qty, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty DESC, oid) AS r FROM o) WHERE r <= 2
SELECT oid, r FROM (SELECT oid, qty, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty DESC, oid) AS r FROM o) WHERE r = 2
SELECT oid, r FROM (SELECT oid, ROW_NUMBER() OVER (ORDER BY qty + 1, oid) AS r FROM o) WHERE r BETWEEN 2 AND 3
SELECT oid FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty, oid) AS r FROM o) WHERE r <= qty
SELECT oid FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty, oid) AS r FROM o) WHERE r <= 2 AND cust = 'a' AND qty > 1
SELECT oid FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty, oid) AS r, ROW_NUMBER() OVER (ORDER BY oid) AS q FROM o) WHERE r = 1
SELECT o.oid, t.paid FROM o JOIN (SELECT * FROM p ORDER BY paid DESC, pid LIMIT 3) AS t ON o.oid = t.oid
SELECT k, v FROM (VALUES (1, 'a'), (2, CAST(NULL AS STRING))) AS t(k, v) WHERE k > 1
SELECT oid FROM (SELECT * FROM o ORDER BY qty) AS t WHERE qty > 1
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM k WHERE k.id = o.oid AND k.v = p.paid))
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.oid = o.oid AND NOT EXISTS (SELECT 1 FROM k WHERE k.id = p.pid AND k.v > o.qty))
SELECT oid FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE paid NOT IN (SELECT v FROM k WHERE k.id < o.qty))
SELECT oid, (SELECT COUNT(*) FROM p WHERE p.oid = o.oid AND p.paid IN (SELECT v FROM k WHERE k.id <> o.qty)) FROM o
SELECT oid FROM o WHERE qty IN (SELECT p.paid FROM p LEFT JOIN k ON k.id = p.pid AND k.v > o.oid WHERE p.oid = o.oid)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p LEFT JOIN k ON p.pid = k.id AND k.v = o.qty WHERE k.id IS NULL)
SELECT oid, (SELECT MAX(v) FROM k WHERE k.id IN (SELECT pid FROM p WHERE p.oid = o.oid)) FROM o
SELECT oid FROM o WHERE EXISTS (SELECT oid FROM p WHERE p.oid = o.oid INTERSECT SELECT id FROM k)
SELECT o.oid, t.s FROM o LEFT JOIN LATERAL (SELECT SUM(v) AS s FROM k WHERE k.id IN (SELECT pid FROM p WHERE p.oid = o.oid)) t ON TRUE
SELECT o.oid FROM o LEFT JOIN k ON o.oid = k.id WHERE k.id IS NULL
SELECT o.oid, k.id IS NULL, k.id FROM o FULL JOIN k ON o.oid = k.id AND o.qty > 1
SELECT COUNT(k.id), COUNT(*) FROM o LEFT JOIN k ON o.oid = k.id
SELECT o.cust, COUNT(k.id), SUM(k.id) FROM o LEFT JOIN k ON o.oid = k.id GROUP BY o.cust
SELECT t.id, o.oid FROM (SELECT id, v FROM k WHERE v > 1) t RIGHT JOIN o ON t.id = o.oid WHERE t.id IS NULL OR t.v > 2
SELECT oid, (SELECT id FROM k WHERE k.id = o.oid) IS NULL FROM o
SELECT oid, (SELECT COUNT(*) FROM k WHERE k.id = o.oid) IS NULL FROM o
SELECT oid, COALESCE((SELECT id FROM k WHERE k.id = o.oid), 0) FROM o
SELECT x.oid FROM o x LEFT JOIN LATERAL (SELECT id FROM k WHERE k.v = x.qty) t ON TRUE WHERE t.id IS NULL
SELECT o.oid, t.uno FROM o LEFT JOIN LATERAL (SELECT 1 AS uno FROM k WHERE k.v = o.qty) t ON TRUE
SELECT o.oid FROM o LEFT JOIN LATERAL (SELECT 1 AS uno FROM k WHERE k.v = o.qty) t ON TRUE WHERE uno IS NULL
SELECT oid FROM o WHERE (SELECT MAX(id) FROM k WHERE k.v = o.qty) IS NULL
SELECT oid FROM o WHERE (SELECT MAX(id) FROM k) IS NULL OR qty = 2
SELECT id, v, COUNT(*) FROM k GROUP BY CUBE (id, v) HAVING id IS NULL
SELECT id, v, GROUPING(id), SUM(id) FROM k GROUP BY GROUPING SETS ((id), (v), ()) HAVING v IS NOT NULL OR GROUPING(v) = 1
SELECT x FROM (SELECT id AS x FROM k UNION ALL SELECT oid FROM o) WHERE x IS NULL
SELECT x FROM (SELECT oid AS x FROM o UNION SELECT id FROM k) WHERE x IS NOT NULL
SELECT id FROM k INTERSECT SELECT oid FROM o
SELECT id FROM k EXCEPT SELECT oid FROM o
SELECT oid FROM o EXCEPT ALL SELECT id FROM k
SELECT oid FROM o INTERSECT SELECT oid FROM p EXCEPT SELECT id FROM k
SELECT oid FROM o WHERE oid NOT IN (SELECT id FROM k)
SELECT id FROM k WHERE id NOT IN (SELECT oid FROM o)
SELECT id FROM k WHERE id NOT IN (SELECT oid FROM o WHERE qty > k.v)
SELECT id, id IN (SELECT oid FROM o) FROM k
SELECT id, v NOT IN (SELECT id FROM k) FROM k
SELECT id FROM k WHERE v > 2 OR id NOT IN (SELECT oid FROM o)
SELECT a.id FROM k a LEFT JOIN k b ON a.v = b.id LEFT JOIN k c ON b.v = c.id WHERE c.id IS NULL AND b.id IS NOT NULL
SELECT a.id FROM k a LEFT JOIN (SELECT b.id, c.v FROM k b JOIN k c ON b.v = c.id) t ON a.id = t.id WHERE t.v IS NULL
SELECT a.id, t.n FROM k a LEFT JOIN (SELECT v, COUNT(*) AS n FROM k GROUP BY v) t ON a.id = t.v WHERE t.n IS NULL OR t.n > 1
SELECT a.id, CASE WHEN t.n IS NULL THEN 0 ELSE t.n END FROM k a LEFT JOIN (SELECT v, COUNT(*) AS n FROM k GROUP BY v) t ON a.id = t.v
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY v ORDER BY id DESC) AS r FROM k) WHERE r = 1 AND id > 1
SELECT o.oid, t.id FROM o LEFT JOIN (SELECT id, ROW_NUMBER() OVER (PARTITION BY v ORDER BY id DESC) AS r FROM k) t ON o.oid = t.id AND t.r <= 1
SELECT o.oid, t.r FROM o LEFT JOIN (SELECT id, r FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS r FROM k) WHERE r <= 2) t ON o.oid = t.id
SELECT oid FROM o WHERE oid IN (SELECT id FROM k WHERE v IN (SELECT paid FROM p WHERE p.pid = k.id))
SELECT DISTINCT o.cust FROM o JOIN k ON o.oid = k.id WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.oid = k.v)
SELECT oid + 0 FROM o WHERE FALSE OR (qty > 1 AND NULLIF(oid, 2) IS NULL)
SELECT oid FROM o WHERE qty IN (1, 2) AND oid NOT IN (3, 4) AND cust IN ('a', 'b')
SELECT oid FROM o WHERE NOT (qty BETWEEN 2 AND 4) AND (cust IS NULL OR cust <> 'a')
SELECT o.oid FROM o JOIN p ON o.oid = p.oid OR o.qty = p.paid
SELECT o.oid, p.pid FROM o, p WHERE (o.oid = p.oid AND o.qty > 1) OR (o.oid = p.oid AND p.paid > 2)
SELECT o.oid, p.pid FROM o LEFT JOIN p ON o.oid = p.oid AND FALSE
SELECT o.oid, p.pid FROM o LEFT JOIN p ON TRUE WHERE p.pid IS NULL
SELECT o.oid, t.c FROM o LEFT JOIN (SELECT 5 AS c, pid FROM p WHERE paid > 2) t ON o.oid = t.pid WHERE t.c IS NULL OR t.c = 5
SELECT oid FROM o WHERE qty = 2 OR qty > ANY (SELECT paid FROM p)
SELECT oid FROM o WHERE oid = 2 OR qty > ALL (SELECT paid FROM p)
SELECT oid FROM o WHERE oid = 2 OR qty <= ALL (SELECT paid FROM p WHERE p.oid = o.oid)
SELECT oid, qty < ANY (SELECT paid FROM p) FROM o
SELECT oid, qty <> ALL (SELECT paid FROM p WHERE p.oid <> o.oid) FROM o
SELECT oid, (oid, qty) IN (SELECT oid, paid FROM p) FROM o
SELECT oid FROM o WHERE qty = 5 OR (oid, qty) NOT IN (SELECT oid, paid FROM p)
SELECT oid, qty >= ANY (SELECT MAX(paid) FROM p WHERE p.oid = o.oid) FROM o
SELECT o.oid, p.pid FROM o LEFT JOIN p ON (o.oid = p.oid AND o.qty > 1) OR (p.oid = o.oid AND p.paid > 2)
SELECT o.oid, p.pid FROM o FULL JOIN p ON (o.oid = p.oid AND o.qty = 1 AND p.paid = 2) OR (p.oid = o.oid AND o.qty = 2 AND p.paid = 3)
SELECT o.oid, p.pid FROM o, p WHERE (o.oid = p.oid AND o.qty = 1 AND p.paid = 2) OR (p.oid = o.oid AND o.qty = 2 AND p.paid = 3)
SELECT o.oid, p.pid FROM o JOIN p ON (o.qty = 1 AND p.paid = 2) OR (o.qty IS NULL AND p.paid = 3)
SELECT o.oid, p.pid FROM o LEFT JOIN p ON o.oid = p.oid WHERE (o.qty = 1 AND p.paid IS NULL) OR (o.qty = 2 AND p.paid = 3)
SELECT o.oid, p.pid FROM o RIGHT JOIN p ON (o.qty = 1 AND p.paid = 2) OR (o.qty = 2 AND p.paid = 3)
SELECT o.oid, p.pid FROM o, p WHERE o.oid = p.oid OR (o.oid = p.oid AND o.qty > 1)
SELECT o.oid, p.pid, k.v FROM o, p, k WHERE (o.oid = p.oid AND p.pid = k.id AND o.qty > 1) OR (k.id = p.pid AND p.oid = o.oid AND k.v < 3)
SELECT o.oid, p.pid, k.v FROM o, p, k WHERE o.oid = p.oid AND p.pid = k.id AND ((o.qty = 1 AND k.v = 2) OR (o.qty = 2 AND k.v IN (1, 3)))
SELECT o.oid, p.pid FROM o, p WHERE NOT ((o.oid <> p.oid OR o.qty > 1) AND (o.oid <> p.oid OR p.paid > 2))
SELECT o.oid, p.pid FROM o, p WHERE (((o.oid = p.oid AND o.qty > 1) OR (p.oid = o.oid AND p.paid > 2)) AND o.cust = 'a') OR (o.oid = p.oid AND o.cust = 'b')
SELECT o.oid, p.pid FROM o, p WHERE CASE WHEN (o.oid = p.oid AND o.qty > 1) OR (o.oid = p.oid AND p.paid > 2) THEN TRUE ELSE FALSE END
SELECT o.oid, p.pid FROM o JOIN p ON ((o.oid = p.oid AND o.qty > 1) OR (o.oid = p.oid AND p.paid > 2)) IS TRUE
SELECT o.oid, p.pid FROM o, p WHERE (o.oid IS NOT DISTINCT FROM p.oid AND o.qty > 1) OR (o.oid IS NOT DISTINCT FROM p.oid AND p.paid > 2)
SELECT oid FROM o WHERE EXISTS (SELECT 1 FROM p WHERE (p.oid = o.oid AND o.qty > 1) OR (o.oid = p.oid AND p.paid > 2))
SELECT oid FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE (p.oid = o.oid AND o.qty > 1) OR (o.oid = p.oid AND p.paid > 2))
SELECT oid, (SELECT COUNT(*) FROM p WHERE (p.oid = o.oid AND p.pid = 1) OR (o.oid = p.oid AND p.paid > 2)) FROM o
SELECT oid FROM o WHERE (qty = 1 AND cust = 'a') OR (qty = 1 AND cust IS NULL) OR (oid = 2 AND qty = 1)
SELECT cust FROM o GROUP BY cust HAVING (cust = 'a' AND COUNT(*) > 1) OR (cust = 'a' AND SUM(qty) > 2)
