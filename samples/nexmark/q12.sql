-- Processing-time windows: bids of a person in 10 seconds of the machine's clock. What it gives depends on speed.
CREATE TABLE q12 (
  bidder BIGINT,
  bids BIGINT,
  window_start TIMESTAMP(3),
  window_end TIMESTAMP(3)
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q12',
  'format' = 'json'
);

CREATE TEMPORARY VIEW arriving AS
SELECT *, PROCTIME() AS arrived FROM bid;

INSERT INTO q12
SELECT bidder, COUNT(*), window_start, window_end
FROM TABLE(TUMBLE(TABLE arriving, DESCRIPTOR(arrived), INTERVAL '10' SECOND))
GROUP BY bidder, window_start, window_end;
