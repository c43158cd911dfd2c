-- Highest bid: the bids with the highest price in each window of 10 seconds.
CREATE TABLE q7 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  ts TIMESTAMP(3),
  extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q7',
  'format' = 'json'
);

INSERT INTO q7
SELECT b.auction, b.bidder, b.price, b.ts, b.extra
FROM bid AS b
JOIN (
  SELECT MAX(price) AS highest, window_end
  FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end
) AS w
ON b.price = w.highest
WHERE b.ts BETWEEN w.window_end - INTERVAL '10' SECOND AND w.window_end;
