PRAGMA journal_mode = WAL;
CREATE TABLE place (
  log TEXT PRIMARY KEY, inode INTEGER, offset INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE cells (
    day INTEGER NOT NULL, key TEXT NOT NULL, target TEXT NOT NULL,
    requests INTEGER NOT NULL, unpriced INTEGER NOT NULL, cost INTEGER NOT NULL, estimated INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    PRIMARY KEY (day, key, target)
  ) WITHOUT ROWID;
CREATE TABLE gateway (id TEXT NOT NULL);
INSERT INTO place VALUES ('/logs/access_usage.log', 1, 545);
INSERT INTO cells VALUES (20780, 'TEAM', 'openai/gpt-4o', 3, 0, 366000, 0, 300, 33);
INSERT INTO gateway VALUES ('e50c55310773f6f4');
PRAGMA user_version = 1;
