PRAGMA journal_mode = WAL;
CREATE TABLE place (
  log TEXT PRIMARY KEY, inode INTEGER, offset INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE minutes (
    minute INTEGER NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL,
    requests INTEGER NOT NULL, calls INTEGER NOT NULL, errors INTEGER NOT NULL, fallbacks INTEGER NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL, cacheWrite INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL, cost INTEGER NOT NULL, unpriced INTEGER NOT NULL,
    duration TEXT NOT NULL, firstToken TEXT NOT NULL, overhead TEXT NOT NULL, provider TEXT NOT NULL, rate TEXT NOT NULL,
    PRIMARY KEY (minute, model, key)
  ) WITHOUT ROWID;
CREATE TABLE requests (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, ended REAL NOT NULL, cost INTEGER, line TEXT NOT NULL
  );
CREATE INDEX requests_by_id ON requests (id);
CREATE INDEX requests_by_end ON requests (ended);
INSERT INTO place VALUES ('/logs/access_usage.log', 1, 366);
INSERT INTO minutes VALUES (29923915, 'openai/gpt-4o', 'TEAM', 1, 1, 0, 0, 100, 0, 0, 11, 0, 122000, 0, '284 1', '', '120 1', '284 1', '');
INSERT INTO minutes VALUES (29923916, 'openai/gpt-4o', 'TEAM', 1, 1, 0, 0, 100, 0, 0, 11, 0, 122000, 0, '284 1', '', '120 1', '284 1', '');
INSERT INTO requests VALUES (1, 'one', 1795434901, 122000, '1795434900.000 200 - 1000 1 250000 300 40 10 20 {"id":"one","listener":"egress","endpoint":"/v1/chat/completions","key":"TEAM","target":"openai/gpt-4o","input":100,"output":11}');
INSERT INTO requests VALUES (2, 'two', 1795435001, 122000, '1795435000.000 200 - 1000 1 250000 300 40 10 20 {"id":"two","listener":"egress","endpoint":"/v1/chat/completions","key":"TEAM","target":"openai/gpt-4o","input":100,"output":11,"cached":40}');
PRAGMA user_version = 2;
