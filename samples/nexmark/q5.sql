-- Hot items: in each window of 10 seconds, every 2 seconds, the auctions with the most bids.
CREATE TABLE q5 (
  auction BIGINT,
  bids BIGINT,
  window_start TIMESTAMP(3),
  window_end TIMESTAMP(3)
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q5',
  'format' = 'json'
);

CREATE TEMPORARY VIEW counted AS
SELECT auction, COUNT(*) AS bids, window_start, window_end
FROM TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
GROUP BY auction, window_start, window_end;

INSERT INTO q5
SELECT c.auction, c.bids, c.window_start, c.window_end
FROM counted AS c
JOIN (
  SELECT MAX(bids) AS most, window_start, window_end FROM counted GROUP BY window_start, window_end
) AS m
ON c.window_start = m.window_start AND c.window_end = m.window_end
WHERE c.bids >= m.most;
