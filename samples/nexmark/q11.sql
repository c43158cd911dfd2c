-- User sessions: bids of a person without a pause of 10 seconds.
CREATE TABLE q11 (
  bidder BIGINT,
  bids BIGINT,
  window_start TIMESTAMP(3),
  window_end TIMESTAMP(3)
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q11',
  'format' = 'json'
);

INSERT INTO q11
SELECT bidder, COUNT(*), window_start, window_end
FROM TABLE(SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY bidder, window_start, window_end;
