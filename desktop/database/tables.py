"""The tables of state.db, version by version, and what each column holds."""

SEARCH = """
    CREATE TABLE search_session (
        id INTEGER PRIMARY KEY,
        name TEXT UNIQUE,            -- of the file; NULL where its messages are to be forgotten
        key TEXT NOT NULL,
        title TEXT NOT NULL,         -- given by the person
        first TEXT NOT NULL,         -- the person's first words
        size INTEGER NOT NULL,       -- of the file when it was last looked at, bytes
        changed INTEGER NOT NULL,    -- its time of change then, nanoseconds
        done INTEGER NOT NULL,       -- bytes that are read
        mark INTEGER NOT NULL        -- CRC-32 of the last bytes before `done`
    );
    CREATE TABLE search_message (
        id INTEGER PRIMARY KEY,      -- the moment in eighths of a second since 1970, or the next free
        session INTEGER NOT NULL,
        asked INTEGER NOT NULL,      -- 1 of the person, 0 of the assistant
        turn TEXT NOT NULL,
        trusted INTEGER NOT NULL     -- 0 where its text came from outside, or was made with such in view
    );
    CREATE TABLE search_text (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE search_fresh (id INTEGER PRIMARY KEY);  -- those that are not in search_words yet
    CREATE VIRTUAL TABLE search_words USING fts5(
        text, content = 'search_text', content_rowid = 'id', tokenize = 'trigram', detail = none,
        columnsize = 0
    );
    INSERT INTO search_words (search_words, rank) VALUES ('automerge', 8);
"""
"""The index of what was said; made from the session logs, and so made anew where it is damaged."""
SEARCH_GONE = "".join(
    f"DROP TABLE IF EXISTS {name};\n"
    for name in ("search_words", "search_fresh", "search_text", "search_message", "search_session")
)

MIGRATIONS = (
    """
    CREATE TABLE usage (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        cause TEXT NOT NULL,         -- what made the call: turn, test, warm-up
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        outcome TEXT NOT NULL,       -- ok, stopped, or the name of the error
        seconds REAL NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        reasoning_tokens INTEGER NOT NULL,
        cost REAL                    -- US dollars; NULL where the provider did not say
    );
    CREATE INDEX usage_at ON usage (at);
    """,
    """
    CREATE TABLE inbox (
        id TEXT PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        kind TEXT NOT NULL,          -- approval, error, ...
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,          -- JSON, by kind
        state TEXT NOT NULL,         -- open, done
        answer TEXT NOT NULL,        -- yes, no, withdrawn; empty while open
        settled REAL                 -- Unix time, seconds; NULL while open
    );
    CREATE INDEX inbox_state ON inbox (state, at);
    CREATE TABLE audit (
        id INTEGER PRIMARY KEY,
        at REAL NOT NULL,            -- Unix time, seconds
        session TEXT NOT NULL,
        turn TEXT NOT NULL,
        call TEXT NOT NULL,
        tool TEXT NOT NULL,
        effect TEXT NOT NULL,        -- read, write, run, send
        gist TEXT NOT NULL,
        arguments TEXT NOT NULL,     -- SHA-256 of the arguments
        verdict TEXT NOT NULL,       -- allowed, denied, parked
        reason TEXT NOT NULL,        -- mode, rule, person, fence, ...
        outside INTEGER NOT NULL,    -- whether outside text was in the turn
        outcome TEXT NOT NULL,       -- ok, failed, denied, parked, stopped
        seconds REAL NOT NULL
    );
    CREATE INDEX audit_at ON audit (at);
    CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
        BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
    """,
    SEARCH,
    """
    CREATE TABLE subagents (
        id TEXT PRIMARY KEY,
        session TEXT NOT NULL,       -- the conversation it works for
        turn TEXT NOT NULL,          -- the turn that called for it
        label TEXT NOT NULL,
        task TEXT NOT NULL,
        front TEXT NOT NULL,
        approve TEXT NOT NULL,
        started REAL NOT NULL,       -- Unix time, seconds
        state TEXT NOT NULL,         -- queued, running, done, failed, stopped, interrupted
        result TEXT NOT NULL,
        outside INTEGER NOT NULL,    -- whether text from outside entered it
        addresses TEXT NOT NULL,     -- JSON: addresses that such text gave
        told INTEGER NOT NULL        -- whether its conversation has the result, or needs none
    );
    CREATE INDEX subagents_untold ON subagents (told) WHERE told = 0;
    """,
    """
    CREATE TABLE mcp_tools (
        server TEXT NOT NULL,        -- the person's name for it
        tool TEXT NOT NULL,          -- the server's name of it; empty: there was a first list
        digest TEXT NOT NULL,        -- SHA-256 of what the server said of it
        PRIMARY KEY (server, tool)
    );
    """,
    """
    ALTER TABLE inbox ADD COLUMN due REAL NOT NULL DEFAULT 0;      -- not shown before, Unix time, seconds
    ALTER TABLE inbox ADD COLUMN shown INTEGER NOT NULL DEFAULT 0; -- 0 not yet, 1 being handed over, 2 yes
    ALTER TABLE inbox ADD COLUMN handed INTEGER NOT NULL DEFAULT 0; -- how often it was handed to the screen
    UPDATE inbox SET shown = 2;
    CREATE INDEX inbox_unshown ON inbox (due) WHERE state = 'open' AND shown < 2;
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,         -- and of its turn
        job TEXT NOT NULL,
        name TEXT NOT NULL,          -- of the job at that time
        planned REAL NOT NULL,       -- when it was due, Unix time, seconds
        attempt INTEGER NOT NULL,    -- 0, and 1... for those after a failure
        cause TEXT NOT NULL,         -- due, late, hand
        missed INTEGER NOT NULL,     -- how many due moments before `planned` it stands for
        claimed REAL NOT NULL,       -- when it began, Unix time, seconds
        ended REAL,                  -- NULL until its end
        outcome TEXT NOT NULL,       -- running, ok, failed, stopped, interrupted, skipped, asked
        detail TEXT NOT NULL,        -- a sentence: what came of it
        tokens INTEGER NOT NULL,
        cost REAL,                   -- US dollars; NULL where it is not known
        UNIQUE (job, planned, attempt)
    );
    CREATE INDEX runs_claimed ON runs (claimed);
    CREATE INDEX usage_cause ON usage (cause, at);
    CREATE TABLE deliveries (
        id TEXT PRIMARY KEY,         -- what it is of: a run, a heartbeat
        session TEXT NOT NULL,       -- the conversation that is to have it
        text TEXT NOT NULL,
        source TEXT NOT NULL         -- the session it was made in
    );
    """,
    """
    DROP INDEX usage_at;
    CREATE INDEX usage_paid ON usage (at, provider, cost);  -- asked for before each call of a model
    """,
    """
    CREATE INDEX usage_session ON usage (session);
    """,
    """
    CREATE TABLE file_marks (
        digest TEXT PRIMARY KEY,     -- SHA-256 of the bytes
        origin TEXT NOT NULL,        -- person, agent, unknown, untrusted
        sources TEXT NOT NULL,       -- JSON: where the text came from, for the person
        path TEXT NOT NULL,          -- where they were last written
        at REAL NOT NULL             -- Unix time, seconds
    );
    CREATE TABLE commands (
        id TEXT PRIMARY KEY,
        began REAL NOT NULL,         -- Unix time, seconds
        ended REAL NOT NULL,         -- far in the future while it runs
        session TEXT NOT NULL,       -- the conversation that called it
        folders TEXT NOT NULL,       -- JSON: where it could write
        origin TEXT NOT NULL,        -- of what was in view when it was called, and of what it could read
        sources TEXT NOT NULL
    );
    CREATE INDEX commands_ended ON commands (ended);
    CREATE TABLE vouched (
        path TEXT PRIMARY KEY,       -- a folder whose files the person vouches for
        at REAL NOT NULL
    );
    ALTER TABLE subagents ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE deliveries ADD COLUMN origin TEXT NOT NULL DEFAULT 'unknown';
    ALTER TABLE deliveries ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
    """
    + SEARCH_GONE
    + SEARCH,
    """
    ALTER TABLE subagents ADD COLUMN origin TEXT NOT NULL DEFAULT 'untrusted'; -- if `outside`
    """,
    """
    CREATE TABLE lessons (
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        entry TEXT NOT NULL,         -- digest of the settings and of the table that it was learned of
        what TEXT NOT NULL,          -- what the model does not take: see providers/healing.py
        at REAL NOT NULL,            -- Unix time, seconds
        PRIMARY KEY (provider, model, what)
    );
    ALTER TABLE usage ADD COLUMN saved REAL;          -- US dollars by the cache; NULL where not known
    ALTER TABLE usage ADD COLUMN reasoning_cost REAL; -- US dollars, a part of the cost; NULL likewise
    """,
    """
    CREATE TABLE seen (
        channel TEXT NOT NULL,
        message TEXT NOT NULL,       -- the service's id, with its chat's
        at REAL NOT NULL,            -- Unix time, seconds
        own INTEGER NOT NULL,        -- 1 of the owner
        PRIMARY KEY (channel, message)
    ) WITHOUT ROWID;
    CREATE INDEX seen_at ON seen (at);
    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,    -- answer:TURN, delivery:ID, question:ID, ...
        channel TEXT NOT NULL,
        chat TEXT NOT NULL,          -- the service's id
        thread TEXT NOT NULL,        -- the service's id; empty outside of threads
        reply TEXT NOT NULL,         -- the service's id of the message that it answers; empty for none
        session TEXT NOT NULL,
        body TEXT NOT NULL,          -- JSON: text, files, buttons
        sent TEXT NOT NULL,          -- JSON: the service's ids of its parts that are there
        state TEXT NOT NULL,         -- open (an answer is owed), waiting, sent, failed
        tries INTEGER NOT NULL,
        at REAL NOT NULL             -- since when it can be sent, Unix time, seconds; in this order it goes
    );
    CREATE INDEX outbox_unsent ON outbox (channel, chat, at, id) WHERE state IN ('open', 'waiting');
    CREATE TABLE pairings (
        channel TEXT NOT NULL,
        sender TEXT NOT NULL,        -- the service's id
        name TEXT NOT NULL,          -- as the service shows it; anybody's words
        chat TEXT NOT NULL,
        code TEXT NOT NULL,
        at REAL NOT NULL,            -- Unix time, seconds
        PRIMARY KEY (channel, sender)
    );
    """,
    """
    CREATE TABLE channel_notes (
        channel TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,         -- in the channel's own words
        at REAL NOT NULL,            -- Unix time, seconds
        PRIMARY KEY (channel, name)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE deliveries ADD COLUMN chat TEXT NOT NULL DEFAULT ''; -- of the conversation's, by its key
    ALTER TABLE subagents ADD COLUMN chat TEXT NOT NULL DEFAULT '';
    CREATE TABLE arrivals (
        id INTEGER PRIMARY KEY,      -- in this order they came
        turn TEXT NOT NULL UNIQUE,
        channel TEXT NOT NULL,
        chat TEXT NOT NULL,          -- the service's id
        body TEXT NOT NULL           -- JSON: the message, its files by what the service calls them
    );
    CREATE INDEX arrivals_place ON arrivals (channel, chat, id);
    DROP INDEX outbox_unsent;        -- no query could use it: a condition has to stand there word by word
    CREATE INDEX outbox_waiting ON outbox (channel, chat, at, id) WHERE state = 'waiting';
    CREATE INDEX outbox_open ON outbox (session, id) WHERE state = 'open';
    """,
)
"""One script a version; PRAGMA user_version counts those that have run."""
KEPT_MARKS = 1 + next(number for number, script in enumerate(MIGRATIONS) if "TABLE file_marks" in script)
