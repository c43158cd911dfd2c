SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue
FROM (
  SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, EXTRACT(YEAR FROM l_shipdate) AS l_year,
    l_extendedprice * (1 - l_discount) AS volume
  FROM supplier, lineitem, orders, customer, nation n1, nation n2
  WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey AND c_custkey = o_custkey
    AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey
    AND ((n1.n_name = 'PERU' AND n2.n_name = 'CHINA') OR (n1.n_name = 'IRAQ' AND n2.n_name = 'RUSSIA'))
    AND l_shipdate BETWEEN DATE '1992-01-01' AND DATE '1997-12-31'
) AS shipping
GROUP BY supp_nation, cust_nation, l_year
