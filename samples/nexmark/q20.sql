-- Expand bids: each with its auction, of one category.
CREATE TABLE q20 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  url STRING,
  ts TIMESTAMP(3),
  extra STRING,
  itemName STRING,
  description STRING,
  initialBid BIGINT,
  reserve BIGINT,
  auction_ts TIMESTAMP(3),
  expires TIMESTAMP(3),
  seller BIGINT,
  category BIGINT,
  auction_extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q20',
  'format' = 'json'
);

INSERT INTO q20
SELECT
  b.auction, b.bidder, b.price, b.channel, b.url, b.ts, b.extra,
  a.itemName, a.description, a.initialBid, a.reserve, a.ts, a.expires, a.seller, a.category, a.extra
FROM bid AS b
JOIN auction AS a ON b.auction = a.id
WHERE a.category = 10;
