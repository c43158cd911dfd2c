-- Changelogs that repeat events, with a filter on top, and a sink with a key of its own.
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SET 'table.exec.state.ttl' = '36500 d';
CREATE TABLE big_ones (id INT, town STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/big_ones', 'format' = 'debezium-json');
CREATE TABLE by_town (town STRING, amount INT, PRIMARY KEY (town) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_town', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO big_ones SELECT id, town FROM accounts WHERE amount > 10;
INSERT INTO by_town SELECT town, amount FROM accounts;
END;
