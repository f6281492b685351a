-- records.db as clawbrain 0.1 makes it, of version 1
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL,
  UNIQUE (conversation, source, key));
CREATE INDEX messages_by_date ON messages (created_at, id);
CREATE VIRTUAL TABLE message_words USING fts5 (words, detail=none, tokenize='ascii');
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, session_id TEXT, profile TEXT NOT NULL,
  tool TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT NOT NULL, success INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL);
CREATE INDEX audit_by_date ON audit (created_at, id)
;
PRAGMA application_id = 1668047223;
PRAGMA user_version = 1;
INSERT INTO messages VALUES (1, 'c1', 'codex', 'k1', 'user', 'Ship the harbour release on Friday.', '2026-02-24T09:00:00Z', 'Release', 35);
INSERT INTO messages VALUES (2, 'c1', 'codex', 'k2', 'assistant', 'Shipped; the größte ferry runs. 船が出ます', '2026-02-24T09:01:00Z', 'Release', 37);
INSERT INTO messages VALUES (3, 'c2', 'claude', 'k1', 'user', 'Where is Alice''s tea?', '2026-02-25T10:00:00Z', '', 21);
INSERT INTO message_words (rowid, words) VALUES (1, 'fridai harbour on releas ship the');
INSERT INTO message_words (rowid, words) VALUES (2, 'ferri grosst run ship the が が出 す ま ます 出 出ま 船 船が');
INSERT INTO message_words (rowid, words) VALUES (3, 'alic is s tea where');
INSERT INTO audit VALUES (1, '2026-02-25T10:00:00Z', 's1', 'clawbrain', 'memory_search', '{"query": "tea"}', '{"results": []}', 1, 12);
INSERT INTO audit VALUES (2, '2026-02-25T10:00:01Z', NULL, 'clawbrain', 'memory_update', '{}', '"refused"', 0, 3);
