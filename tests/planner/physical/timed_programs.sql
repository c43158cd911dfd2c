-- Programs of operators that follow time; timed_plans.json holds what Flink 2.3 plans for them.
CREATE TABLE orders (order_id INT, cust STRING, amt INT, price DECIMAL(10,2), otime TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR otime AS otime - INTERVAL '1' MINUTE) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE ships (ship_id INT, order_id INT, city STRING, stime TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR stime AS stime - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE ltz (id INT, k STRING, v BIGINT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE ev (id INT, k STRING NOT NULL, g STRING, v INT, d DOUBLE, b BIGINT NOT NULL, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE plain (id INT, k STRING, v INT, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE fx (cur STRING, rate DECIMAL(10,4), note STRING, valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from - INTERVAL '1' SECOND, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json');
CREATE TABLE fx2 (cur STRING, reg STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from - INTERVAL '1' SECOND, PRIMARY KEY (cur, reg) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json');
CREATE TABLE fxa (cur STRING, rate DECIMAL(10,4), valid_from TIMESTAMP(3), WATERMARK FOR valid_from AS valid_from - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE fxnw (cur STRING, rate DECIMAL(10,4), PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json');
CREATE TABLE inv (inv INT, cur STRING, reg STRING, amt INT, itime TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR itime AS itime - INTERVAL '1' SECOND) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE cdc (id INT, k STRING, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json');
CREATE VIEW vfx AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fxa) WHERE rn = 1;
CREATE VIEW pfx AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY PROCTIME() DESC) AS rn FROM fxa) WHERE rn = 1;
CREATE TABLE plain2 (id INT, k STRING, v INT, d DOUBLE, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE plain3 (id INT, k STRING, v INT, d DOUBLE, ts TIMESTAMP(3)) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE arr (k STRING, xs ARRAY<INT>, m MAP<STRING, INT>, rs ARRAY<ROW<a INT, b STRING>>) WITH ('connector'='filesystem','path'='/data/in','format'='json');
CREATE TABLE dim (id INT, name STRING, city STRING, price DECIMAL(10,2), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='jdbc','url'='jdbc:x','table-name'='t');
CREATE TABLE dimnk (id INT, name STRING, city STRING) WITH ('connector'='jdbc','url'='jdbc:x','table-name'='t','lookup.cache'='PARTIAL','lookup.partial-cache.max-rows'='100');
CREATE TABLE fxn (cur STRING, rate DECIMAL(10,4), note STRING, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json');
--- over_rows_unb (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM ev;
--- over_rows_bounded (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 BIGINT)
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM ev;
--- over_range_bounded (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 DOUBLE)
SELECT k, v, AVG(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW), MAX(d) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW) FROM ev;
--- over_proc (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY pt) FROM ev;
--- over_proc_rows (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SELECT k, v, COUNT(v) OVER (PARTITION BY k ORDER BY pt ROWS 3 PRECEDING) FROM ev;
--- over_proc_range (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SELECT k, v, COUNT(v) OVER (PARTITION BY k ORDER BY pt RANGE INTERVAL '10' SECOND PRECEDING) FROM ev;
--- over_proc_function (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SELECT k, v, COUNT(v) OVER (PARTITION BY k ORDER BY PROCTIME() ROWS 3 PRECEDING) FROM ev;
--- over_two_windows (c0 VARCHAR(2147483647), c1 INT, c2 DOUBLE)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts), MIN(d) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM ev;
--- over_two_partitions (c0 VARCHAR(2147483647), c1 INT, c2 DOUBLE)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts), MIN(d) OVER (PARTITION BY g ORDER BY ts) FROM ev;
--- over_lag (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 INT, c4 INT)
SELECT k, LAG(v) OVER (PARTITION BY k ORDER BY ts), LAG(v, 2) OVER (PARTITION BY k ORDER BY ts), LAG(v, 1, 0) OVER (PARTITION BY k ORDER BY ts), SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- over_lead (c0 VARCHAR(2147483647), c1 INT)
SELECT k, LEAD(v) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- over_percent_rank (c0 VARCHAR(2147483647), c1 INT, c2 DOUBLE)
SELECT k, v, PERCENT_RANK() OVER (PARTITION BY k ORDER BY ts) AS rn FROM ev;
--- over_cume (c0 VARCHAR(2147483647), c1 INT, c2 DOUBLE)
SELECT k, v, CUME_DIST() OVER (PARTITION BY k ORDER BY ts) AS rn FROM ev;
--- over_ntile (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SELECT k, v, NTILE(4) OVER (PARTITION BY k ORDER BY ts) AS rn FROM ev;
--- over_filter_above (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT * FROM (SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) WHERE s > 10;
--- over_filter_partition (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT * FROM (SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) WHERE k = 'a' AND v > 3;
--- over_no_partition (c0 INT, c1 INT)
SELECT v, SUM(v) OVER (ORDER BY ts) FROM ev;
--- over_no_order (c0 INT, c1 INT)
SELECT v, SUM(v) OVER (PARTITION BY k) FROM ev;
--- over_empty (c0 INT, c1 INT)
SELECT v, SUM(v) OVER () FROM ev;
--- over_distinct (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SELECT k, COUNT(DISTINCT v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW), SUM(DISTINCT v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) FROM ev;
--- over_stddev (c0 VARCHAR(2147483647), c1 DOUBLE, c2 INT)
SELECT k, STDDEV_POP(d) OVER (PARTITION BY k ORDER BY ts), VAR_SAMP(v) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- over_case_inside (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SELECT k, SUM(v) OVER w / COUNT(v) OVER w, SUM(CASE WHEN v > 3 THEN 1 ELSE 0 END) OVER w FROM ev WINDOW w AS (PARTITION BY k ORDER BY ts);
--- over_order_two (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts, v) FROM ev;
--- over_order_desc (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts DESC) FROM ev;
--- over_order_nontime (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM ev;
--- over_following (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM ev;
--- over_unb_following (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM ev;
--- over_prec_prec (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING) FROM ev;
--- over_range_number
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM ev;
--- over_current_current (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM ev;
--- over_retract (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM cdc;
--- over_ltz (c0 VARCHAR(2147483647), c1 BIGINT, c2 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), ts FROM ltz;
--- over_of_agg (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT)
SELECT k, n, SUM(n) OVER (ORDER BY k) FROM (SELECT k, COUNT(*) AS n FROM ev GROUP BY k);
--- over_over (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(s) OVER (PARTITION BY k ORDER BY ts) FROM (SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s FROM ev);
--- over_mixed_names (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT, c3 BIGINT)
SELECT k, v, COUNT(*) OVER w1, SUM(b) OVER w2 FROM ev WINDOW w1 AS (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING), w2 AS (PARTITION BY k ORDER BY ts ROWS 4 PRECEDING);
--- over_const_arg (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SELECT k, COUNT(1) OVER (PARTITION BY k ORDER BY ts), SUM(2) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- over_all_cols (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647), c3 INT, c4 DOUBLE, c5 BIGINT, c6 TIMESTAMP(3), c7 TIMESTAMP(3) WITH LOCAL TIME ZONE, c8 INT)
SELECT *, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev;
--- over_topn_nontop (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SELECT * FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM ev) WHERE rn > 3;
--- over_and_topn (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 BIGINT)
SELECT * FROM (SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM ev) WHERE rn <= 3;
--- over_where (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM ev WHERE v > 2;
--- over_qualify (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev QUALIFY s > 10;
--- over_group (c0 INT, c1 BIGINT)
SELECT s, COUNT(*) FROM (SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) GROUP BY s;
--- over_plain_ts (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM plain;
--- ij_between (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_lt (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o, ships s WHERE o.order_id = s.order_id AND s.stime > o.otime - INTERVAL '5' MINUTE AND s.stime < o.otime + INTERVAL '4' HOUR;
--- ij_lt_rev (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o, ships s WHERE o.order_id = s.order_id AND o.otime - INTERVAL '5' MINUTE < s.stime AND o.otime + INTERVAL '4' HOUR > s.stime AND o.amt > s.ship_id AND s.city = 'x';
--- ij_eq (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND o.otime = s.stime;
--- ij_eq_only (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.otime = s.stime;
--- ij_eq_offset (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND o.otime = s.stime + INTERVAL '5' SECOND;
--- ij_no_equi (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_three_bounds (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR AND s.stime > o.otime + INTERVAL '1' MINUTE;
--- ij_one_bound (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime > o.otime;
--- ij_left (c0 INT, c1 INT, c2 TIMESTAMP(3))
SELECT o.order_id, s.ship_id, s.stime FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND o.otime BETWEEN s.stime - INTERVAL '4' HOUR AND s.stime;
--- ij_right (c0 INT, c1 INT, c2 TIMESTAMP(3))
SELECT o.order_id, s.ship_id, o.otime FROM orders o RIGHT JOIN ships s ON o.order_id = s.order_id AND o.otime BETWEEN s.stime - INTERVAL '4' HOUR AND s.stime;
--- ij_full (c0 INT, c1 INT, c2 TIMESTAMP(3), c3 TIMESTAMP(3))
SELECT o.order_id, s.ship_id, CAST(o.otime AS TIMESTAMP(3)), s.stime FROM orders o FULL JOIN ships s ON o.order_id = s.order_id AND o.otime BETWEEN s.stime - INTERVAL '4' HOUR AND s.stime;
--- ij_left_cond (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND o.amt > 3 AND s.city = 'x' AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_semi (c0 INT)
SELECT o.order_id FROM orders o WHERE EXISTS (SELECT 1 FROM ships s WHERE o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR);
--- ij_anti (c0 INT)
SELECT o.order_id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM ships s WHERE o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR);
--- ij_proc (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.pt BETWEEN o.pt AND o.pt + INTERVAL '4' HOUR;
--- ij_proc_sel (c0 INT, c1 INT, c2 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT o.order_id, s.ship_id, o.pt FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.pt BETWEEN o.pt AND o.pt + INTERVAL '4' HOUR;
--- ij_mixed (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.pt AND o.pt + INTERVAL '4' HOUR;
--- ij_ltz (c0 INT, c1 INT)
SELECT a.id, b.id FROM ltz a JOIN ltz b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' DAY AND b.ts;
--- ij_month (c0 INT, c1 INT)
SELECT a.id, b.id FROM ev a JOIN ev b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' MONTH AND b.ts;
--- ij_cast (c0 INT, c1 INT)
SELECT a.id, b.id FROM ev a JOIN ev b ON a.k = b.k AND CAST(a.ts AS TIMESTAMP(3)) BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts;
--- ij_over (c0 INT, c1 INT)
SELECT order_id, SUM(amt) OVER (PARTITION BY order_id ORDER BY otime) FROM (SELECT o.order_id, o.amt, o.otime, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR);
--- ij_ij (c0 INT, c1 INT, c2 INT)
SELECT o.order_id, s.ship_id, e.id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR JOIN ev e ON e.id = o.order_id AND e.ts BETWEEN s.stime AND s.stime + INTERVAL '1' HOUR;
--- ij_extra_time (c0 INT, c1 INT, c2 TIMESTAMP(3), c3 TIMESTAMP(3))
SELECT o.order_id, s.ship_id, o.otime, s.stime FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR WHERE o.otime > TIMESTAMP '2024-01-01 00:00:00';
--- ij_diff (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime - INTERVAL '1' HOUR <= o.otime + INTERVAL '10' MINUTE AND s.stime >= o.otime - INTERVAL '1' MINUTE - INTERVAL '5' SECOND;
--- ij_agg (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT o.cust, COUNT(*) FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR GROUP BY o.cust;
--- ij_or (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON (o.order_id = s.order_id OR o.amt = s.ship_id) AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_retract (c0 INT, c1 INT)
SELECT o.order_id, c.v FROM orders o JOIN cdc c ON o.order_id = c.id AND c.ts BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_hint (c0 INT, c1 INT)
SELECT /*+ STATE_TTL('o'='1d') */ o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- ij_key_cast (c0 INT, c1 INT)
SELECT a.id, b.id FROM ev a JOIN ltz b ON a.v = b.v AND a.pt BETWEEN PROCTIME() AND a.pt;
--- ij_constfold (c0 INT, c1 INT)
SELECT a.id, b.id FROM ev a JOIN ev b ON a.k = b.k AND a.ts >= b.ts - INTERVAL '1' MINUTE * 2 AND a.ts <= b.ts;
--- ij_where_later (c0 INT, c1 INT)
SELECT x.order_id, x.ship_id FROM (SELECT o.order_id, o.otime, s.stime, s.ship_id, o.amt, s.city FROM orders o JOIN ships s ON o.order_id = s.order_id) x WHERE stime BETWEEN otime AND otime + INTERVAL '4' HOUR AND amt > 3;
--- ij_timestampdiff (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND TIMESTAMPADD(HOUR, 4, o.otime);
--- tj_inner (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SELECT i.inv, i.cur, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_left (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4), c3 TIMESTAMP(3), c4 TIMESTAMP(3))
SELECT i.inv, i.cur, f.rate, f.valid_from, i.itime FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_where (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SELECT i.inv, i.cur, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur WHERE i.amt > 10 AND f.rate > 2 AND i.amt > f.rate;
--- tj_cond (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SELECT i.inv, i.cur, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur AND i.amt > 10 AND f.rate > 2 AND i.amt > f.rate;
--- tj_left_cond (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SELECT i.inv, i.cur, f.rate FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur AND i.amt > 10 AND f.rate > 2;
--- tj_left_where (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SELECT i.inv, i.cur, f.rate FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur WHERE f.rate > 2;
--- tj_star (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647), c3 INT, c4 TIMESTAMP(3), c5 TIMESTAMP(3) WITH LOCAL TIME ZONE, c6 VARCHAR(2147483647), c7 DECIMAL(10, 4), c8 VARCHAR(2147483647), c9 TIMESTAMP(3))
SELECT * FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_two_keys (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx2 FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur AND i.reg = f.reg;
--- tj_part_keys (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx2 FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_extra_key (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur AND i.reg = f.note;
--- tj_no_key (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.amt > f.rate;
--- tj_view (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN vfx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_view_left (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i LEFT JOIN vfx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_view_proc (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN pfx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_nopk (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fxa FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_nowm (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fxnw FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_proc (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.pt AS f ON i.cur = f.cur;
--- tj_proc_left (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.pt AS f ON i.cur = f.cur;
--- tj_proc_nowm (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i LEFT JOIN fxnw FOR SYSTEM_TIME AS OF i.pt AS f ON i.cur = f.cur;
--- tj_proctime_call
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF PROCTIME() AS f ON i.cur = f.cur;
--- tj_const
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00' AS f ON i.cur = f.cur;
--- tj_nontime (c0 INT, c1 DECIMAL(10, 4))
SELECT p.id, f.rate FROM plain p JOIN fx FOR SYSTEM_TIME AS OF p.ts AS f ON p.k = f.cur;
--- tj_expr (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime + INTERVAL '1' SECOND AS f ON i.cur = f.cur;
--- tj_right
SELECT i.inv, f.rate FROM inv i RIGHT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_full
SELECT i.inv, f.rate FROM inv i FULL JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_cross (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i, fx FOR SYSTEM_TIME AS OF i.itime AS f WHERE i.cur = f.cur;
--- tj_computed_key (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON UPPER(i.cur) = f.cur;
--- tj_retract_left (c0 INT, c1 DECIMAL(10, 4))
SELECT c.id, f.rate FROM cdc c JOIN fx FOR SYSTEM_TIME AS OF c.ts AS f ON c.k = f.cur;
--- tj_dup (c0 INT, c1 VARCHAR(2147483647), c2 DECIMAL(10, 4))
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SELECT i.inv, i.cur, f.rate FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_dup_left (c0 INT, c1 DECIMAL(10, 4))
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SELECT c.id, f.rate FROM cdc c JOIN fx FOR SYSTEM_TIME AS OF c.ts AS f ON c.k = f.cur;
--- tj_two (c0 INT, c1 DECIMAL(10, 4), c2 DECIMAL(10, 4))
SELECT i.inv, f.rate, g.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur JOIN fx2 FOR SYSTEM_TIME AS OF i.itime AS g ON i.cur = g.cur AND i.reg = g.reg;
--- tj_agg (c0 VARCHAR(2147483647), c1 DECIMAL(38, 4))
SELECT f.note, SUM(i.amt * f.rate) FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur GROUP BY f.note;
--- tj_const_key (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur AND f.cur = 'EUR';
--- tj_over (c0 INT, c1 DECIMAL(38, 4))
SELECT i.inv, SUM(i.amt * f.rate) OVER (PARTITION BY i.cur ORDER BY i.itime) FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_shared
CREATE TABLE o1 (a INT, r DECIMAL(10,4)) WITH ('connector'='filesystem','path'='/tmp/x','format'='debezium-json'); CREATE TABLE o2 (cur STRING, r DECIMAL(10,4)) WITH ('connector'='filesystem','path'='/tmp/x','format'='debezium-json');
EXECUTE STATEMENT SET BEGIN INSERT INTO o1 SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur; INSERT INTO o2 SELECT cur, rate FROM fx; END;
--- tj_subquery
SELECT i.inv, f.rate FROM inv i JOIN (SELECT * FROM fx WHERE rate > 2) FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_view_sub (c0 INT, c1 DECIMAL(21, 4))
CREATE VIEW fxv AS SELECT cur, rate * 2 AS r2, valid_from FROM fx WHERE rate > 1; SELECT i.inv, f.r2 FROM inv i JOIN fxv FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- tj_view_agg (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW fxg AS SELECT cur, MAX(rate) AS r2 FROM fx GROUP BY cur; SELECT i.inv, f.r2 FROM inv i JOIN fxg FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- nt_bounded_rows (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM ev;
--- nt_bounded_range (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM ev;
--- nt_desc (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v DESC) FROM ev;
--- nt_nulls (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v NULLS LAST) FROM ev;
--- nt_rows (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM ev;
--- nt_two (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v, d) FROM ev;
--- nt_string (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY g) FROM ev;
--- nt_retract (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM cdc;
--- nt_retract_id (c0 INT, c1 VARCHAR(2147483647), c2 INT)
SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM cdc;
--- nt_upsert
CREATE TABLE us (id INT, k STRING, s INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM cdc;
--- nt_upsert_k
CREATE TABLE us (id INT, k STRING, s INT, PRIMARY KEY (id,k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT id, k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM cdc;
--- nt_expr (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v + 1) FROM ev;
--- nt_const (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY 1) FROM ev;
--- nt_above_agg (c0 INT, c1 BIGINT)
SELECT s, COUNT(*) FROM (SELECT SUM(v) OVER (PARTITION BY k ORDER BY v) AS s FROM ev) GROUP BY s;
--- nt_filter (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM (SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v) AS s FROM ev) WHERE s > 3;
--- nt_ttl (c0 VARCHAR(2147483647), c1 INT)
SET 'table.exec.state.ttl'='1d';
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v) FROM ev;
--- nt_castts (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY CAST(ts AS TIMESTAMP(3))) FROM ev;
--- rn_proc_fn (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY PROCTIME()) FROM ev;
--- rn_retract_proc (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) FROM cdc;
--- rt_retract_row_number (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) FROM cdc;
--- rt_filter_clause
SELECT k, COUNT(*) FILTER (WHERE v > 3) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- rt_between_interval_cur (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW), MIN(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '24' HOUR PRECEDING AND CURRENT ROW) FROM ev;
--- rt_range_month (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' MONTH PRECEDING AND CURRENT ROW) FROM ev;
--- rt_rows_expr (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM ev;
--- rt_rows_zero (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 0 PRECEDING AND CURRENT ROW) FROM ev;
--- rt_range_zero (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN CURRENT ROW AND CURRENT ROW) FROM ev;
--- rt_two_part_order (c0 VARCHAR(2147483647), c1 VARCHAR(2147483647), c2 BIGINT, c3 INT)
SELECT k, g, COUNT(*) OVER (PARTITION BY g, k ORDER BY ts) c1, SUM(v) OVER (PARTITION BY k, g ORDER BY ts) c2 FROM ev;
--- rt_lag_sum_rows (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) c1, LAG(v) OVER (PARTITION BY k ORDER BY ts) c2 FROM ev;
--- rt_same_const (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) c1, LAST_VALUE(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) c2 FROM ev;
--- rt_agg_then_over (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(SUM(v)) OVER (PARTITION BY k ORDER BY PROCTIME()) FROM ev GROUP BY k;
--- rt_nested_func_time (c0 TIMESTAMP(3), c1 BIGINT)
SELECT TUMBLE_START(ts, INTERVAL '1' HOUR), COUNT(*) FROM (SELECT ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) GROUP BY TUMBLE(ts, INTERVAL '1' HOUR);
--- so_rowtime (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY otime;
--- so_rowtime2 (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY otime, amt DESC, cust;
--- so_proc (c0 INT, c1 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT order_id, pt FROM orders ORDER BY pt;
--- so_desc (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY otime DESC;
--- so_second (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY amt, otime;
--- so_limit (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY otime LIMIT 3;
--- so_limit_desc (c0 INT, c1 TIMESTAMP(3))
SELECT order_id, otime FROM orders ORDER BY otime DESC LIMIT 3;
--- so_offset (c0 INT, c1 INT)
SELECT order_id, amt FROM orders ORDER BY amt OFFSET 3 ROWS;
--- so_offset_only (c0 INT, c1 INT)
SELECT order_id, amt FROM orders OFFSET 4;
--- so_limit_zero (c0 INT, c1 INT)
SELECT order_id, amt FROM orders LIMIT 0;
--- so_order_limit_zero (c0 INT, c1 INT)
SELECT order_id, amt FROM orders ORDER BY amt LIMIT 0;
--- so_retract_rowtime (c0 INT, c1 TIMESTAMP(3))
SELECT id, ts FROM cdc ORDER BY ts;
--- so_limit_retract (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) AS n FROM ev GROUP BY k ORDER BY n DESC LIMIT 3;
--- so_limit_agg_nolim (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(*) AS n FROM ev GROUP BY k LIMIT 3;
--- so_fetch (c0 INT)
SELECT order_id FROM orders ORDER BY otime FETCH FIRST 5 ROWS ONLY;
--- so_nested (c0 INT)
SELECT order_id FROM (SELECT * FROM orders ORDER BY amt LIMIT 10) ORDER BY otime;
--- so_default_limit (c0 INT)
SET 'table.exec.sort.default-limit'='10';
SELECT order_id FROM orders ORDER BY amt;
--- so_expr (c0 INT)
SELECT order_id FROM orders ORDER BY otime + INTERVAL '1' HOUR;
--- o4_upsert_sink
CREATE TABLE us (k STRING, n BIGINT, s BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, n, SUM(n) OVER (ORDER BY k) FROM (SELECT k, COUNT(*) AS n FROM ev GROUP BY k);
--- o4_upsert_sink2
CREATE TABLE us (id INT, n INT, s INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT id, v, SUM(v) OVER (ORDER BY v) FROM cdc;
--- o4_ltz_lag
SELECT k, ts, ts - LAG(ts) OVER (PARTITION BY k ORDER BY ts) FROM ltz;
--- o4_timestampdiff (c0 VARCHAR(2147483647), c1 INT)
SELECT k, TIMESTAMPDIFF(SECOND, LAG(ts) OVER (PARTITION BY k ORDER BY ts), ts) FROM ev;
--- o4_lag_default_null (c0 VARCHAR(2147483647), c1 INT)
SELECT k, LAG(v, 2, CAST(NULL AS INT)) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- o4_qualify_col (c0 VARCHAR(2147483647), c1 INT)
SELECT k, v FROM ev QUALIFY SUM(v) OVER (PARTITION BY k ORDER BY ts) > 3;
--- o4_const_bound_arg (c0 VARCHAR(2147483647), c1 VARCHAR(2147483647))
SELECT k, LISTAGG(g, '-') OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) FROM ev;
--- i4_cond_time (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR AND EXTRACT(HOUR FROM o.otime) <> EXTRACT(HOUR FROM s.stime);
--- i4_cond_pt (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR AND CAST(o.pt AS STRING) <> s.city;
--- i4_other_rowtime_sel (c0 INT, c1 TIMESTAMP(3))
SELECT o.order_id, s.stime FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- i4_window_left_time (c0 TIMESTAMP(3), c1 BIGINT)
SELECT TUMBLE_END(stime, INTERVAL '1' HOUR), COUNT(*) FROM (SELECT o.order_id, s.stime FROM orders o FULL JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR) GROUP BY TUMBLE(stime, INTERVAL '1' HOUR);
--- i4_union_time (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM (SELECT order_id, otime FROM orders UNION ALL SELECT id, ts FROM ev) o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- i4_two_rowtime_cond (c0 INT, c1 INT)
SELECT x.a, e.id FROM (SELECT o.order_id AS a, o.otime, s.stime FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR) x JOIN ev e ON x.a = e.id AND e.ts BETWEEN x.otime AND x.otime + INTERVAL '1' HOUR AND x.stime > x.otime;
--- i4_coalesced (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND COALESCE(s.stime, o.otime) BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- i4_not_time_cmp (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR AND o.otime < TIMESTAMP '2024-01-01 00:00:00';
--- i4_left_bound_const (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR AND o.otime < TIMESTAMP '2024-01-01 00:00:00' AND s.stime < TIMESTAMP '2024-01-01 00:00:00';
--- i4_using (c0 INT, c1 INT)
SELECT order_id, ship_id FROM orders JOIN ships USING (order_id) WHERE stime BETWEEN otime AND otime + INTERVAL '4' HOUR;
--- i4_same_bounds (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime >= o.otime AND s.stime > o.otime - INTERVAL '1' HOUR;
--- i4_null_safe (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id IS NOT DISTINCT FROM s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- i4_empty_range (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime + INTERVAL '4' HOUR AND o.otime;
--- i4_proc_left (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.pt BETWEEN o.pt - INTERVAL '4' HOUR AND o.pt + INTERVAL '4' HOUR;
--- i4_upsert_out
CREATE TABLE us (id INT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- i4_in (c0 INT)
SELECT o.order_id FROM orders o WHERE o.order_id IN (SELECT s.order_id FROM ships s WHERE s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR);
--- t4_left_agg_pk
CREATE TABLE us (inv INT, r DECIMAL(10,4), PRIMARY KEY (inv) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT c.id, f.rate FROM cdc c LEFT JOIN fx FOR SYSTEM_TIME AS OF c.ts AS f ON c.k = f.cur;
--- t4_left_agg_pk2
CREATE TABLE us (inv INT, k STRING, r DECIMAL(10,4), PRIMARY KEY (inv, k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT c.id, c.k, f.rate FROM cdc c LEFT JOIN fx FOR SYSTEM_TIME AS OF c.ts AS f ON c.k = f.cur;
--- t4_keep_rowtime (c0 TIMESTAMP(3), c1 DECIMAL(38, 4))
SELECT TUMBLE_END(i.itime, INTERVAL '1' HOUR), SUM(i.amt * f.rate) FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur GROUP BY TUMBLE(i.itime, INTERVAL '1' HOUR);
--- t4_view_proj (c0 INT, c1 DECIMAL(21, 4))
CREATE VIEW fxp AS SELECT cur AS c, rate * 2 AS r2, valid_from FROM fx; SELECT i.inv, f.r2 FROM inv i JOIN fxp FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.c;
--- t4_view_extra (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW vfe AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fxa) WHERE rn = 1 AND rate > 2; SELECT i.inv, f.rate FROM inv i JOIN vfe FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- t4_view_asc (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW vfa AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from ASC) AS rn FROM fxa) WHERE rn = 1; SELECT i.inv, f.rate FROM inv i JOIN vfa FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- t4_view_lastvalue (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW vlv AS SELECT cur, LAST_VALUE(rate) AS rate FROM fxa GROUP BY cur; SELECT i.inv, f.rate FROM inv i JOIN vlv FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- t4_cte (c0 INT, c1 DECIMAL(10, 4))
WITH x AS (SELECT * FROM fx) SELECT i.inv, f.rate FROM inv i JOIN x FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- t4_noalias (c0 INT, c1 DECIMAL(10, 4))
SELECT inv.inv, fx.rate FROM inv JOIN fx FOR SYSTEM_TIME AS OF inv.itime ON inv.cur = fx.cur;
--- t4_noalias_unq (c0 INT, c1 DECIMAL(10, 4))
SELECT inv, rate FROM inv JOIN fx FOR SYSTEM_TIME AS OF itime ON inv.cur = fx.cur;
--- t4_ltz_mismatch (c0 INT, c1 DECIMAL(10, 4))
SELECT l.id, f.rate FROM ltz l JOIN fx FOR SYSTEM_TIME AS OF l.ts AS f ON l.k = f.cur;
--- t4_left_sub (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM (SELECT inv, UPPER(cur) AS cur, itime FROM inv WHERE amt > 3) i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur;
--- t4_using (c0 INT, c1 DECIMAL(10, 4))
SELECT inv, rate FROM inv JOIN fx FOR SYSTEM_TIME AS OF inv.itime AS f USING (cur);
--- t4_null_safe (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur IS NOT DISTINCT FROM f.cur;
--- t4_where_join_key (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON TRUE WHERE i.cur = f.cur;
--- t4_join_key_cast
SELECT e.id, c.v FROM ltz e JOIN cdc FOR SYSTEM_TIME AS OF PROCTIME() AS c ON e.v = c.id;
--- t4_key_cast2 (c0 INT, c1 INT)
SELECT i.inv, c.v FROM inv i JOIN cdc FOR SYSTEM_TIME AS OF i.itime AS c ON CAST(i.amt AS BIGINT) = c.id;
--- t4_normal_and_temporal (c0 INT, c1 DECIMAL(10, 4), c2 INT)
SELECT i.inv, f.rate, s.ship_id FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur JOIN ships s ON s.order_id = i.inv;
--- t4_temporal_after_regular (c0 INT, c1 DECIMAL(10, 4))
SELECT o.order_id, f.rate FROM (SELECT o.order_id, o.cust, o.otime FROM orders o JOIN plain p ON o.order_id = p.id) o JOIN fx FOR SYSTEM_TIME AS OF o.otime AS f ON o.cust = f.cur;
--- t4_temporal_after_regular2 (c0 INT, c1 DECIMAL(10, 4))
SELECT o.order_id, f.rate FROM orders o JOIN plain p ON o.order_id = p.id JOIN fx FOR SYSTEM_TIME AS OF o.otime AS f ON o.cust = f.cur;
--- t4_dup_upsert_view (c0 INT, c1 DECIMAL(21, 4))
SET 'table.exec.source.cdc-events-duplicate' = 'true';
CREATE VIEW fxp AS SELECT cur AS c, rate * 2 AS r2, valid_from FROM fx; SELECT i.inv, f.r2 FROM inv i JOIN fxp FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.c;
--- t4_dup_wm (c0 INT, c1 INT, c2 TIMESTAMP(3))
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SELECT id, v, ts FROM cdc WHERE v > 3;
--- m_simple (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 TIMESTAMP(3))
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.id AS aid, LAST(B.v) AS lb, C.ts AS cts ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+ C) DEFINE A AS A.v > 10, B AS B.v < 5, C AS C.v > LAST(B.v));
--- m_prev (c0 VARCHAR(2147483647), c1 TIMESTAMP(3), c2 TIMESTAMP(3))
SELECT T.k, T.s, T.e FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.ts) AS s, LAST(A.ts) AS e, AVG(A.v) AS av, COUNT(A.v) AS n, SUM(A.b) AS sb ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A{2,} B?) DEFINE A AS A.v > PREV(A.v, 1) OR PREV(A.v) IS NULL) AS T;
--- m_within (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av, B.v AS bv ONE ROW PER MATCH AFTER MATCH SKIP TO LAST B PATTERN (A B*? C) WITHIN INTERVAL '1' HOUR DEFINE A AS A.v > 1, B AS B.v > 2, C AS C.v > SUM(B.v));
--- m_proc (c0 VARCHAR(2147483647), c1 VARCHAR(2147483647), c2 INT, c3 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k, g ORDER BY pt MEASURES A.v AS av, MATCH_PROCTIME() AS mp PATTERN (A B C) DEFINE A AS A.v > 1, B AS TRUE, C AS C.v = A.v + B.v);
--- m_default_skip (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) DEFINE A AS A.v > 1);
--- m_no_measures (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647), c3 INT, c4 DOUBLE, c5 BIGINT, c6 TIMESTAMP(3), c7 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts PATTERN (A B) DEFINE A AS A.v > 1);
--- m_all_rows (c0 VARCHAR(2147483647), c1 TIMESTAMP(3), c2 INT, c3 VARCHAR(2147483647), c4 INT, c5 DOUBLE, c6 BIGINT, c7 TIMESTAMP(3) WITH LOCAL TIME ZONE, c8 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av ALL ROWS PER MATCH PATTERN (A B) DEFINE A AS A.v > 1);
--- m_greedy_last (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B+) DEFINE A AS A.v > 1, B AS B.v > 2);
--- m_classifier
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES CLASSIFIER() AS c, MATCH_NUMBER() AS mn PATTERN (A B C) DEFINE A AS v > 1);
--- m_next (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A B C) DEFINE A AS NEXT(A.v) > 1);
--- m_retract (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM cdc MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A B) DEFINE A AS A.v > 1);
--- m_skip_var_missing
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a AFTER MATCH SKIP TO FIRST D PATTERN (A B) DEFINE A AS A.v > 1);
--- m_zero (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A B*) DEFINE A AS A.v > 1);
--- m_within_month (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A B) WITHIN INTERVAL '1' MONTH DEFINE A AS A.v > 1);
--- sl_upsert
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, COUNT(*) AS n FROM ev GROUP BY k ORDER BY n DESC LIMIT 3;
--- lim_upsert
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, COUNT(*) AS n FROM ev GROUP BY k LIMIT 3;
--- mb_simple (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT, c3 DOUBLE, c4 INT, c5 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(*), SUM(v), AVG(d), MIN(v), MAX(v) FROM plain2 GROUP BY k;
--- mb_wm (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(*), SUM(v) FROM ev GROUP BY k;
--- mb_one_phase (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.agg-phase-strategy'='ONE_PHASE';
SELECT k, COUNT(*), SUM(v) FROM ev GROUP BY k;
--- mb_two_phase (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.agg-phase-strategy'='TWO_PHASE';
SELECT k, COUNT(*), SUM(v) FROM plain2 GROUP BY k;
--- mb_global (c0 BIGINT, c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT COUNT(*), SUM(v) FROM plain2;
--- mb_distinct (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT, c3 BIGINT, c4 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(DISTINCT v), SUM(DISTINCT v), COUNT(*), COUNT(DISTINCT v) FILTER (WHERE id > 3) FROM plain2 GROUP BY k;
--- mb_split (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT, c3 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), SUM(id), COUNT(*) FROM plain2 GROUP BY k;
--- mb_split2 (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT, c3 INT, c4 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), COUNT(DISTINCT id), MAX(v), AVG(v) FROM plain2 GROUP BY k;
--- mb_split_noincr (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.distinct-agg.split.enabled'='true'; SET 'table.optimizer.incremental-agg-enabled'='false';
SELECT k, COUNT(DISTINCT v), SUM(id) FROM plain2 GROUP BY k;
--- mb_split_global (c0 BIGINT, c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT COUNT(DISTINCT v), SUM(id) FROM plain2;
--- split_nomb (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), SUM(id) FROM plain2 GROUP BY k;
--- split_nomb2 (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT, c3 TIMESTAMP(3))
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), COUNT(DISTINCT id), MAX(ts) FROM plain2 GROUP BY k;
--- split_distinct_filter (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v) FILTER (WHERE id > 1), SUM(id) FROM plain2 GROUP BY k;
--- split_unsplittable (c0 VARCHAR(2147483647), c1 BIGINT, c2 VARCHAR(2147483647))
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), LISTAGG(k) FROM plain2 GROUP BY k;
--- mb_unmergeable (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 VARCHAR(2147483647), c4 BOOLEAN, c5 ARRAY<INT>)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, FIRST_VALUE(v), LAST_VALUE(v), LISTAGG(k), COLLECT(k) IS NULL, ARRAY_AGG(v) FROM plain2 GROUP BY k;
--- mb_first (c0 VARCHAR(2147483647), c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, FIRST_VALUE(v) FROM plain2 GROUP BY k;
--- mb_cdc (c0 VARCHAR(2147483647), c1 DECIMAL(38, 4), c2 BIGINT, c3 DECIMAL(10, 4), c4 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT cur, SUM(rate), COUNT(*), MIN(rate), COUNT(DISTINCT rate) FROM fxnw GROUP BY cur;
--- mb_join (c0 VARCHAR(2147483647), c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT a.k, SUM(b.v) FROM plain2 a JOIN plain3 b ON a.id = b.id GROUP BY a.k;
--- mb_over (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(*) FROM (SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM ev) GROUP BY k;
--- mb_ij (c0 INT, c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT o.order_id, COUNT(*) FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR GROUP BY o.order_id;
--- mb_union (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(*) FROM (SELECT k FROM ev UNION ALL SELECT k FROM plain2) GROUP BY k;
--- mb_distinct_select (c0 VARCHAR(2147483647), c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT DISTINCT k, v FROM plain2;
--- mb_cube (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, v, COUNT(*) FROM plain2 GROUP BY CUBE (k, v);
--- mb_ttl (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT /*+ STATE_TTL('plain2'='1d') */ k, COUNT(*) FROM plain2 GROUP BY k;
--- mb_topn (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT * FROM (SELECT k, n, ROW_NUMBER() OVER (ORDER BY n DESC) rn FROM (SELECT k, COUNT(*) n FROM plain2 GROUP BY k)) WHERE rn <= 3;
--- mb_having (c0 VARCHAR(2147483647), c1 INT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, SUM(v) FROM ev WHERE v > 2 GROUP BY k HAVING COUNT(*) > 1;
--- mb_semi (c0 VARCHAR(2147483647))
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k FROM plain2 WHERE id IN (SELECT id FROM plain3);
--- mb_proctime (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT k, COUNT(*) FROM (SELECT k, pt FROM orders o JOIN plain2 ON id = order_id) GROUP BY k;
--- mb_values (c0 INT, c1 BIGINT)
SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100';
SELECT a, COUNT(*) FROM (VALUES (1), (2)) AS t(a) GROUP BY a;
--- lk_inner (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id;
--- lk_left (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647))
SELECT o.order_id, d.name, d.city FROM orders o LEFT JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id;
--- lk_cond (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id AND d.city = 'x' AND o.amt > 3 AND o.amt > d.price AND d.price > 5;
--- lk_left_cond (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o LEFT JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id AND d.city = 'x' AND o.amt > 3 AND o.amt > d.price AND d.price > 5;
--- lk_where (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o LEFT JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id WHERE d.price > 5 AND o.amt > 2;
--- lk_two (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id AND o.cust = d.name;
--- lk_nopk (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dimnk FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id;
--- lk_const_only (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON d.id = 3;
--- lk_expr (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id + 1 = d.id;
--- lk_right_expr (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id + 1;
--- lk_cast
SELECT e.id, d.name FROM ltz e JOIN dim FOR SYSTEM_TIME AS OF PROCTIME() AS d ON e.v = d.id;
--- lk_cast2 (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON CAST(o.amt AS BIGINT) = d.id;
--- lk_star (c0 INT, c1 VARCHAR(2147483647), c2 INT, c3 DECIMAL(10, 2), c4 TIMESTAMP(3), c5 TIMESTAMP(3) WITH LOCAL TIME ZONE, c6 INT, c7 VARCHAR(2147483647), c8 VARCHAR(2147483647), c9 DECIMAL(10, 2))
SELECT * FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id;
--- lk_cdc (c0 INT, c1 VARCHAR(2147483647))
SELECT o.id, d.name FROM cdc o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.v = d.id;
--- lk_cdc_pk
CREATE TABLE us (id INT, n STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT o.id, d.name FROM cdc o LEFT JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.v = d.id;
--- lk_event (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.otime AS d ON o.order_id = d.id;
--- lk_agg (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT d.city, COUNT(*) FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id GROUP BY d.city;
--- lk_rowtime_out (c0 INT, c1 TIMESTAMP(3), c2 VARCHAR(2147483647), c3 INT)
SELECT o.order_id, o.otime, d.name, SUM(o.amt) OVER (PARTITION BY d.city ORDER BY o.otime) FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id;
--- lk_or (c0 INT, c1 VARCHAR(2147483647))
SELECT o.order_id, d.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id OR o.amt = d.id;
--- lk_two_dims (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647))
SELECT o.order_id, d.name, e.name FROM orders o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.order_id = d.id LEFT JOIN dimnk FOR SYSTEM_TIME AS OF o.pt AS e ON e.city = d.city;
--- sl_key
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, COUNT(*) AS n FROM ev GROUP BY k ORDER BY k LIMIT 3;
--- sl_one
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, COUNT(*) AS n FROM ev GROUP BY k ORDER BY n LIMIT 1;
--- sl_key2
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, COUNT(*) AS n FROM ev GROUP BY k ORDER BY k, n LIMIT 3;
--- rk_upsert
CREATE TABLE us (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT k, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT k, COUNT(*) AS n FROM ev GROUP BY k)) WHERE rn <= 3;
--- cf2_force
SET 'table.exec.sink.upsert-materialize'='FORCE';
CREATE TABLE us (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT g, COUNT(*) FROM ev GROUP BY g;
--- cf2_none
SET 'table.exec.sink.upsert-materialize'='NONE';
CREATE TABLE us (k STRING, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT g, COUNT(*) FROM ev GROUP BY g, k;
--- cf2_key_superset
CREATE TABLE us (k STRING, g STRING, v BIGINT, PRIMARY KEY (k, g) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT g, MAX(k), COUNT(*) FROM ev GROUP BY g;
--- f_over_in_view (c0 VARCHAR(2147483647), c1 INT, c2 INT)
CREATE VIEW ov AS SELECT k, v, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev; SELECT a.k, a.s, b.s FROM ov a JOIN ov b ON a.k = b.k AND a.ts = b.ts;
--- f_over_exists (c0 VARCHAR(2147483647))
SELECT k FROM plain2 p WHERE EXISTS (SELECT 1 FROM (SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) e WHERE e.k = p.k AND e.s > p.v);
--- f_over_scalar (c0 VARCHAR(2147483647), c1 INT)
SELECT k, (SELECT MAX(s) FROM (SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev)) FROM plain2;
--- f_over_agg_select (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SELECT k, SUM(v) AS s, SUM(SUM(v)) OVER (ORDER BY k) AS r FROM ev GROUP BY k;
--- f_over_distinct (c0 VARCHAR(2147483647), c1 INT)
SELECT DISTINCT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- f_over_having (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev ORDER BY s LIMIT 3;
--- f_over_orderby (c0 VARCHAR(2147483647), c1 INT)
SELECT k, v FROM ev ORDER BY SUM(v) OVER (PARTITION BY k ORDER BY ts) LIMIT 3;
--- f_over_order_time (c0 VARCHAR(2147483647), c1 TIMESTAMP(3), c2 INT)
SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev ORDER BY ts;
--- f_over_topn (c0 VARCHAR(2147483647), c1 TIMESTAMP(3), c2 INT, c3 BIGINT)
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY s DESC) AS rn FROM (SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev)) WHERE rn <= 2;
--- f_over_dedup (c0 VARCHAR(2147483647), c1 TIMESTAMP(3), c2 INT, c3 BIGINT)
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM (SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev)) WHERE rn = 1;
--- f_dedup_last_over (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts DESC) AS rn FROM ev) WHERE rn = 1);
--- f_ij_match (c0 INT, c1 INT)
SELECT o.order_id, m.av FROM orders o JOIN (SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.id AS aid, A.v AS av, MATCH_ROWTIME() AS rt PATTERN (A B) DEFINE A AS A.v > 1)) m ON o.order_id = m.aid AND o.otime BETWEEN m.rt - INTERVAL '1' HOUR AND m.rt;
--- f_match_match (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM (SELECT k, av, rt FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av, MATCH_ROWTIME() AS rt PATTERN (A B) DEFINE A AS A.v > 1)) MATCH_RECOGNIZE (PARTITION BY k ORDER BY rt MEASURES X.av AS xav PATTERN (X Y) DEFINE X AS X.av > 3);
--- f_tj_view_of_tj (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW j AS SELECT i.inv, i.itime, i.cur, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur; SELECT j.inv, g.rate FROM j JOIN fx2 FOR SYSTEM_TIME AS OF j.itime AS g ON j.cur = g.cur AND g.reg = 'EU';
--- f_tj_view_of_tj2 (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW j AS SELECT i.inv, i.itime, i.cur, i.reg, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur; SELECT j.inv, g.rate FROM j JOIN fx2 FOR SYSTEM_TIME AS OF j.itime AS g ON j.cur = g.cur AND g.reg = j.reg;
--- f_tj_agg_right (c0 INT, c1 DECIMAL(10, 4))
SELECT i.inv, f.r FROM inv i JOIN (SELECT cur, MAX(rate) r FROM fx GROUP BY cur) f ON i.cur = f.cur;
--- f_tj_group (c0 VARCHAR(2147483647), c1 VARCHAR(2147483647), c2 BIGINT, c3 TIMESTAMP(3))
SELECT f.note, i.cur, COUNT(*), MAX(i.itime) FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON i.cur = f.cur GROUP BY f.note, i.cur;
--- f_ij_left_agg (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT cust, COUNT(ship_id) FROM (SELECT o.cust, s.ship_id FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR) GROUP BY cust;
--- f_ij_three (c0 INT)
SELECT o.order_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR JOIN ev e ON e.id = s.ship_id AND e.ts BETWEEN o.otime - INTERVAL '1' HOUR AND o.otime WHERE e.v > 3;
--- f_ij_where_or (c0 INT)
SELECT o.order_id FROM orders o, ships s WHERE o.order_id = s.order_id AND s.stime >= o.otime AND s.stime <= o.otime + INTERVAL '1' HOUR AND (o.amt > 3 OR s.city = 'x');
--- f_ij_ts6 (c0 INT)
SELECT o.order_id FROM orders o, ships s WHERE o.order_id = s.order_id AND CAST(s.stime AS TIMESTAMP(6)) BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR;
--- f_sort_ij (c0 INT, c1 TIMESTAMP(3))
SELECT o.order_id, o.otime FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR ORDER BY o.otime;
--- f_sort_left (c0 INT, c1 TIMESTAMP(3))
SELECT o.order_id, s.stime FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR ORDER BY s.stime;
--- f_mjoin_over (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SET 'table.optimizer.multi-join.enabled'='true';
SELECT a.k, b.s, c.v FROM plain2 a JOIN (SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM ev) b ON a.k = b.k LEFT JOIN plain3 c ON a.k = c.k;
--- f_mjoin_ij (c0 INT, c1 VARCHAR(2147483647), c2 VARCHAR(2147483647))
SET 'table.optimizer.multi-join.enabled'='true';
SELECT o.order_id, s.city, p.k FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '1' HOUR JOIN plain2 p ON p.id = o.order_id LEFT JOIN plain3 q ON q.id = o.order_id;
--- f_over_row
SELECT k, MAX(ROW(v, d).f0) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- f_over_mid_expr (c0 VARCHAR(2147483647), c1 INT)
SELECT k, 1 + SUM(v) OVER w * 2 - COALESCE(LAG(v) OVER (PARTITION BY k ORDER BY ts), 0) FROM ev WINDOW w AS (PARTITION BY k ORDER BY ts);
--- f_over_lag_const (c0 INT, c1 CHAR(1))
SELECT LAG(1) OVER (PARTITION BY k ORDER BY ts), FIRST_VALUE('a') OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- f_lookup_cdc_over (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY pt) FROM (SELECT k, v, PROCTIME() AS pt FROM plain2);
--- ds_avg (c0 VARCHAR(2147483647), c1 BIGINT, c2 DOUBLE, c3 INT, c4 DOUBLE, c5 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), AVG(d), AVG(DISTINCT v), MIN(d), SUM(DISTINCT id) FROM plain2 GROUP BY k;
--- ds_global2 (c0 BIGINT, c1 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT COUNT(DISTINCT v), COUNT(DISTINCT id) FROM plain2;
--- ds_filter2 (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT, c3 BIGINT, c4 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v) FILTER (WHERE id > 1), COUNT(DISTINCT v) FILTER (WHERE id > 5), COUNT(*) FILTER (WHERE v > 2), SUM(v) FROM plain2 GROUP BY k;
--- ds_only (c0 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT COUNT(DISTINCT v) FROM plain2;
--- ds_groupkey (c0 VARCHAR(2147483647), c1 BIGINT, c2 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT k), COUNT(DISTINCT v) FROM plain2 GROUP BY k;
--- ds_retract (c0 VARCHAR(2147483647), c1 BIGINT, c2 DECIMAL(38, 4))
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT note, COUNT(DISTINCT cur), SUM(rate) FROM fx GROUP BY note;
--- ds_first (c0 VARCHAR(2147483647), c1 BIGINT, c2 INT, c3 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), FIRST_VALUE(id), LAST_VALUE(id) FROM plain2 GROUP BY k;
--- ds_unsplit (c0 VARCHAR(2147483647), c1 BIGINT, c2 MULTISET<VARCHAR(2147483647)>)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), COLLECT(k) FROM plain2 GROUP BY k;
--- ds_stddev (c0 VARCHAR(2147483647), c1 BIGINT, c2 DOUBLE)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v), STDDEV_POP(d) FROM plain2 GROUP BY k;
--- ds_bucket (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true'; SET 'table.optimizer.distinct-agg.split.bucket-num'='16';
SELECT k, COUNT(DISTINCT v) FROM plain2 GROUP BY k;
--- ds_cube (c0 VARCHAR(2147483647), c1 INT, c2 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, v, COUNT(DISTINCT id) FROM plain2 GROUP BY CUBE (k, v);
--- ds_min_max_distinct (c0 VARCHAR(2147483647), c1 INT, c2 INT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, MIN(DISTINCT v), MAX(v) FROM plain2 GROUP BY k;
--- ds_ttl (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT /*+ STATE_TTL('plain2'='1d') */ k, COUNT(DISTINCT v) FROM plain2 GROUP BY k;
--- ds_mb_ttl (c0 VARCHAR(2147483647), c1 BIGINT)
SET 'table.exec.state.ttl'='1d'; SET 'table.exec.mini-batch.enabled'='true'; SET 'table.exec.mini-batch.allow-latency'='5 s'; SET 'table.exec.mini-batch.size'='100'; SET 'table.optimizer.distinct-agg.split.enabled'='true';
SELECT k, COUNT(DISTINCT v) FROM plain2 GROUP BY k;
--- x_first_ignore
SELECT k, FIRST_VALUE(v) IGNORE NULLS OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_nth
SELECT k, NTH_VALUE(v, 2) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_percentile (c0 VARCHAR(2147483647), c1 DOUBLE)
SELECT k, PERCENTILE(v, 0.5) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_count_two (c0 VARCHAR(2147483647), c1 BIGINT)
SELECT k, COUNT(v, d) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_sum_distinct_row (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(DISTINCT v) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_lag_neg (c0 VARCHAR(2147483647), c1 INT)
SELECT k, LAG(v, -1) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_lag_zero (c0 VARCHAR(2147483647), c1 INT)
SELECT k, LAG(v, 0) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_rows_neg
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM ev;
--- x_rows_col
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN v PRECEDING AND CURRENT ROW) FROM ev;
--- x_rows_double
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM ev;
--- x_range_neg (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '-1' HOUR PRECEDING AND CURRENT ROW) FROM ev;
--- x_over_where
SELECT k FROM ev WHERE SUM(v) OVER (PARTITION BY k ORDER BY ts) > 3;
--- x_over_group
SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM ev GROUP BY SUM(v) OVER (PARTITION BY k ORDER BY ts);
--- x_nested_over
SELECT SUM(SUM(v) OVER (PARTITION BY k ORDER BY ts)) OVER (PARTITION BY k ORDER BY ts) FROM ev;
--- x_window_inherit2 (c0 VARCHAR(2147483647), c1 INT)
SELECT k, SUM(v) OVER w2 FROM ev WINDOW w AS (PARTITION BY k), w2 AS (w ORDER BY ts);
--- x_window_unknown
SELECT k, SUM(v) OVER z FROM ev WINDOW w AS (PARTITION BY k);
--- x_partition_alias
SELECT UPPER(k) AS kk, SUM(v) OVER (PARTITION BY kk ORDER BY ts) FROM ev;
--- y_case
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES a.v AS av PATTERN (A B) DEFINE A AS A.v > 1);
--- y_subset_unknown
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) SUBSET U = (A, X) DEFINE A AS A.v > 1);
--- y_subset_twice
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) SUBSET U = (A, B), U = (A) DEFINE A AS A.v > 1);
--- y_subset_in_pattern
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) SUBSET A = (A, B) DEFINE B AS A.v > 1);
--- y_subset_defined
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) SUBSET U = (A, B) DEFINE U AS A.v > 1);
--- y_dup_define
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) DEFINE A AS A.v > 1, A AS A.v > 2);
--- y_dup_measure
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av, B.v AS av PATTERN (A B) DEFINE A AS A.v > 1);
--- y_measure_key (c0 VARCHAR(2147483647))
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS k PATTERN (A B) DEFINE A AS A.v > 1);
--- y_sum_two
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES SUM(A.v + B.v) AS s PATTERN (A B) DEFINE A AS A.v > 1);
--- y_last_two
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(A.v + B.v) AS s PATTERN (A B) DEFINE A AS A.v > 1);
--- y_last_expr (c0 VARCHAR(2147483647), c1 INT, c2 VARCHAR(2147483647))
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(A.v + A.id) AS s, FIRST(UPPER(A.g), 1) AS f PATTERN (A+ B) DEFINE A AS A.v > 1);
--- y_count_distinct
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES COUNT(DISTINCT A.v) AS s PATTERN (A+ B) DEFINE A AS A.v > 1);
--- y_nested
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(LAST(A.v)) AS s PATTERN (A+ B) DEFINE A AS A.v > 1);
--- y_rowtime_arg (c0 VARCHAR(2147483647), c1 BIGINT, c2 TIMESTAMP(3) WITH LOCAL TIME ZONE)
SELECT * FROM ltz MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av, MATCH_ROWTIME(ts) AS r PATTERN (A B) DEFINE A AS A.v > 1);
--- y_skip_first_a (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av AFTER MATCH SKIP TO FIRST A PATTERN (A B) DEFINE A AS A.v > 1);
--- y_part_expr
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY UPPER(k) ORDER BY ts MEASURES A.v AS av PATTERN (A B) DEFINE A AS A.v > 1);
--- y_join_input (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM (SELECT e.k, e.v, e.ts FROM ev e JOIN plain2 p ON e.id = p.id) MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B) DEFINE A AS A.v > 1);
--- y_empty (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A? B*?) DEFINE A AS A.v > 1);
--- y_zero_times (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B{0} C) DEFINE A AS A.v > 1);
--- y_opt_reluctant (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B?? C) DEFINE A AS A.v > 1);
--- y_last_range (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B{1,3}) DEFINE A AS A.v > 1);
--- y_last_opt (c0 VARCHAR(2147483647), c1 INT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS av PATTERN (A B?) DEFINE A AS A.v > 1);
--- y_unq_measure_agg (c0 VARCHAR(2147483647), c1 INT, c2 INT, c3 BIGINT)
SELECT * FROM ev MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(v) AS lv, FIRST(id) AS fi, COUNT(v) AS c PATTERN (A B+ C) DEFINE B AS v > 3);
--- z_tj_computed_version (c0 INT, c1 DECIMAL(10, 4), c2 TIMESTAMP(3))
CREATE VIEW fv AS SELECT cur, rate, valid_from AS vf FROM fx; SELECT i.inv, f.rate, f.vf FROM inv i JOIN fv FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_view_union (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW fu AS SELECT cur, rate, valid_from FROM fxa UNION ALL SELECT cur, rate, valid_from FROM fxa; CREATE VIEW fud AS SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY valid_from DESC) AS rn FROM fu) WHERE rn = 1; SELECT i.inv, f.rate FROM inv i JOIN fud FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_join_right (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW fj AS SELECT f.cur, f.rate, f.valid_from FROM fx f JOIN plain2 p ON f.cur = p.k; SELECT i.inv, f.rate FROM inv i JOIN fj FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_dedup_multi (c0 INT, c1 DECIMAL(10, 4))
CREATE VIEW fm AS SELECT cur, rate, valid_from FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur, rate ORDER BY valid_from DESC) AS rn FROM fxa) WHERE rn = 1; SELECT i.inv, f.rate FROM inv i JOIN fm FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_hint (c0 INT, c1 DECIMAL(10, 4))
SELECT /*+ STATE_TTL('i'='1d') */ i.inv, f.rate FROM inv i JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_sink_rowtime (c0 TIMESTAMP(3), c1 TIMESTAMP(3))
SELECT i.itime, f.valid_from FROM inv i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_tj_upsert
CREATE TABLE us (cur STRING, inv INT, r DECIMAL(10,4), PRIMARY KEY (inv) NOT ENFORCED) WITH ('connector'='blackhole'); INSERT INTO us SELECT i.k, i.id, f.rate FROM (SELECT id, MAX(k) k, MAX(ts) ts FROM ev GROUP BY id) i JOIN fx FOR SYSTEM_TIME AS OF i.ts AS f ON f.cur = i.k;
--- z_tj_subq_left_key
CREATE TABLE us (cur STRING, r DECIMAL(10,4), PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='blackhole'); CREATE TABLE inv2 (cur STRING, amt INT, itime TIMESTAMP(3), WATERMARK FOR itime AS itime, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector'='filesystem','path'='/data/in','format'='debezium-json'); INSERT INTO us SELECT i.cur, f.rate FROM inv2 i LEFT JOIN fx FOR SYSTEM_TIME AS OF i.itime AS f ON f.cur = i.cur;
--- z_ij_ttl (c0 INT, c1 INT)
SET 'table.exec.state.ttl'='1d';
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime AND o.otime + INTERVAL '4' HOUR;
--- z_ij_neg (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o LEFT JOIN ships s ON o.order_id = s.order_id AND s.stime BETWEEN o.otime - INTERVAL '4' HOUR AND o.otime - INTERVAL '1' HOUR;
--- z_ij_arith (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND o.otime >= s.stime - INTERVAL '1:30' HOUR TO MINUTE AND o.otime < s.stime + INTERVAL '1 02:00:00' DAY TO SECOND;
--- z_ij_const_side (c0 INT, c1 INT)
SELECT o.order_id, s.ship_id FROM orders o JOIN ships s ON o.order_id = s.order_id AND o.otime + INTERVAL '1' HOUR = s.stime;
