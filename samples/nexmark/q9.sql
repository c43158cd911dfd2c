-- Winning bids: for each auction its highest bid, the earliest one of equal bids.
CREATE TABLE q9 (
  id BIGINT,
  itemName STRING,
  description STRING,
  initialBid BIGINT,
  reserve BIGINT,
  ts TIMESTAMP(3),
  expires TIMESTAMP(3),
  seller BIGINT,
  category BIGINT,
  extra STRING,
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  bid_ts TIMESTAMP(3),
  bid_extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q9',
  'format' = 'debezium-json'
);

INSERT INTO q9
SELECT
  id, itemName, description, initialBid, reserve, ts, expires, seller, category, extra,
  auction, bidder, price, bid_ts, bid_extra
FROM (
  SELECT
    a.*, b.auction, b.bidder, b.price, b.ts AS bid_ts, b.extra AS bid_extra,
    ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.ts ASC) AS place
  FROM auction AS a
  JOIN bid AS b ON a.id = b.auction
  WHERE b.ts BETWEEN a.ts AND a.expires
)
WHERE place <= 1;
