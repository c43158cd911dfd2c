-- Statistics of an auction and day: bids, for three ranges of prices too, and figures of the price.
CREATE TABLE q17 (
  auction BIGINT,
  `day` STRING,
  total_bids BIGINT,
  rank1_bids BIGINT,
  rank2_bids BIGINT,
  rank3_bids BIGINT,
  min_price BIGINT,
  max_price BIGINT,
  avg_price BIGINT,
  sum_price BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q17',
  'format' = 'debezium-json'
);

INSERT INTO q17
SELECT
  auction,
  DATE_FORMAT(ts, 'yyyy-MM-dd') AS `day`,
  COUNT(*),
  COUNT(*) FILTER (WHERE price < 10000),
  COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000),
  COUNT(*) FILTER (WHERE price >= 1000000),
  MIN(price),
  MAX(price),
  AVG(price),
  SUM(price)
FROM bid
GROUP BY auction, DATE_FORMAT(ts, 'yyyy-MM-dd');
