-- Changes as rows with a code, and back, in front of state.
CREATE TABLE changes_seen (op STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/changes_seen', 'format' = 'debezium-json');
CREATE TABLE towns (town STRING, amount BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/towns', 'format' = 'debezium-json');
CREATE VIEW coded AS SELECT * FROM TO_CHANGELOG(TABLE accounts);
EXECUTE STATEMENT SET BEGIN
INSERT INTO changes_seen SELECT op, COUNT(*) FROM coded GROUP BY op;
INSERT INTO towns SELECT town, SUM(amount) FROM FROM_CHANGELOG(TABLE coded) GROUP BY town;
END;
