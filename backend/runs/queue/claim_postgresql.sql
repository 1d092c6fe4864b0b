-- What a claim of `leases` asks and does, on Postgres. Parameters are named; lists come as arrays.
-- One claimer at a time counts the RUNNING runs: whoever executes these holds the advisory lock of `leases`.

-- name: house
-- How full the installation is: RUNNING runs, the time, whether any server has a limit, how many runs hold or want a
-- place (counted up to `most`), whether runs with a concurrency key are queued.
SELECT
    (SELECT COUNT(*) FROM runs_run WHERE state = 'RUNNING'),
    extract(epoch FROM clock_timestamp()),
    EXISTS (SELECT 1 FROM registry_server WHERE max_runs IS NOT NULL),
    (SELECT COUNT(*) FROM (
        SELECT 1 FROM runs_run
        WHERE state IN ('RUNNING', 'QUEUED') LIMIT %(most)s) q),
    EXISTS (SELECT 1 FROM runs_run WHERE state = 'QUEUED' AND concurrency > '')

-- part: before_in_key
-- How many runs with the key of a run `h` have begun or stand before it; no more are counted than a key may have.
SELECT COUNT(*) FROM (
    SELECT * FROM (
        SELECT 1 FROM runs_run k
        WHERE k.concurrency = h.concurrency AND k.concurrency > '' AND k.started_at IS NOT NULL
            AND k.state IN ('QUEUED', 'RUNNING', 'WAITING', 'PAUSED')
        LIMIT %(most_of_a_key)s) begun
    UNION ALL
    SELECT * FROM (
        SELECT 1 FROM runs_run k
        WHERE k.concurrency = h.concurrency AND k.concurrency > '' AND k.started_at IS NULL
            AND k.state = 'QUEUED'
            AND (k.turn < h.turn OR (k.turn = h.turn AND k.id < h.id))
        LIMIT %(most_of_a_key)s) ahead) held

-- name: candidates
-- (id, state, needs no place, team, turn) of up to `most` runs that may go on, those first that go first.
-- Left out are those `chosen` before, those that want one of `full_servers`, those queued between `hinted_from` and
-- `hinted_until` (left to their hint; null = none), and unless `suspects` those that something speaks against.
-- `queued_only` = nothing that waits for a lease, a timer or a message. `state || ''` = found by the messages, which
-- are few, not by the states.
WITH RECURSIVE
cancelled(id) AS (SELECT run_id FROM runs_inboxmessage WHERE kind = 'cancel'),
-- Teams and keys that have queued runs: one step in the index for each, so that the queue is never read whole.
waiting_team(id) AS (
    SELECT MIN(team_id) FROM runs_run WHERE state = 'QUEUED' AND concurrency = ''
    UNION ALL
    SELECT (SELECT MIN(team_id) FROM runs_run
            WHERE state = 'QUEUED' AND concurrency = '' AND team_id > waiting_team.id)
    FROM waiting_team WHERE waiting_team.id IS NOT NULL),
waiting_key(id) AS (
    SELECT MIN(concurrency) FROM runs_run WHERE state = 'QUEUED' AND concurrency > ''
    UNION ALL
    SELECT (SELECT MIN(concurrency) FROM runs_run
            WHERE state = 'QUEUED' AND concurrency > '' AND concurrency > waiting_key.id)
    FROM waiting_key WHERE waiting_key.id IS NOT NULL),
-- What a team has already: its RUNNING runs and those that ended lately.
share(team_id, runs) AS (
    SELECT team_id, COUNT(*) FROM (
        SELECT team_id FROM runs_run WHERE state = 'RUNNING'
        UNION ALL
        SELECT team_id FROM (
            SELECT team_id FROM runs_run WHERE finished_at > %(lately)s
            ORDER BY finished_at DESC LIMIT %(ended)s) e
    ) counted GROUP BY team_id),
-- Those that are not queued and due, each looked up by itself: runs that wait for years cost nothing.
due(id, state, team_id, turn, losses) AS (
    SELECT id, state, team_id, turn, losses FROM runs_run
    WHERE state = 'RUNNING' AND %(steal)s AND lease_until < %(now)s
        AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
    UNION
    SELECT id, state, team_id, turn, losses FROM runs_run
    WHERE state = 'WAITING' AND wake_at <= %(now)s
        AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
    UNION
    SELECT id, state, team_id, turn, losses FROM runs_run
    WHERE id IN (SELECT run_id FROM runs_inboxmessage)
        AND state || '' = 'WAITING'
        AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
    UNION
    SELECT id, state, team_id, turn, losses FROM runs_run
    WHERE id IN (SELECT run_id FROM runs_inboxmessage WHERE kind IN ('resume', 'cancel'))
        AND state || '' = 'PAUSED'
        AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)),
-- `needs` = 0: a run that is taken over, and one that is cancelled, gets no place and comes first.
candidate(id, state, team_id, turn, needs) AS (
    SELECT h.id, h.state, h.team_id, h.turn, 1
    FROM waiting_team CROSS JOIN LATERAL (
        SELECT id, state, team_id, turn, concurrency, concurrency_limit, started_at
        FROM runs_run
        WHERE state = 'QUEUED' AND concurrency = '' AND team_id = waiting_team.id
            AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
            AND (%(hinted_from)s IS NULL OR queued_at < %(hinted_from)s OR queued_at > %(hinted_until)s)
            AND (%(suspects)s OR losses = 0 OR id IN (SELECT id FROM cancelled))
            AND (%(full_servers)s = '{}' OR id IN (SELECT id FROM cancelled) OR NOT EXISTS (
                    SELECT 1 FROM runs_runserver n WHERE n.run_id = runs_run.id
                        AND n.server_id = ANY(%(full_servers)s)))
        ORDER BY turn LIMIT %(most)s) h
    WHERE waiting_team.id IS NOT NULL
    UNION ALL
    SELECT h.id, h.state, h.team_id, h.turn, 1
    FROM waiting_key CROSS JOIN LATERAL (
        SELECT id, state, team_id, turn, concurrency, concurrency_limit, started_at
        FROM runs_run
        WHERE state = 'QUEUED' AND concurrency > '' AND concurrency = waiting_key.id
            AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
            AND (%(hinted_from)s IS NULL OR queued_at < %(hinted_from)s OR queued_at > %(hinted_until)s)
            AND (%(suspects)s OR losses = 0 OR id IN (SELECT id FROM cancelled))
            AND (%(full_servers)s = '{}' OR id IN (SELECT id FROM cancelled) OR NOT EXISTS (
                    SELECT 1 FROM runs_runserver n WHERE n.run_id = runs_run.id
                        AND n.server_id = ANY(%(full_servers)s)))
        ORDER BY turn LIMIT %(most)s) h
    WHERE waiting_key.id IS NOT NULL
        AND (h.concurrency = '' OR h.started_at IS NOT NULL OR h.concurrency_limit > ({before_in_key}))
    UNION
    SELECT id, state, team_id, turn, CASE WHEN state = 'RUNNING' OR id IN (SELECT id FROM cancelled) THEN 0 ELSE 1 END
    FROM due
    WHERE NOT %(queued_only)s
        AND (%(suspects)s OR losses = 0 OR id IN (SELECT id FROM cancelled))
        AND (%(full_servers)s = '{}' OR state = 'RUNNING' OR id IN (SELECT id FROM cancelled) OR NOT EXISTS (
                SELECT 1 FROM runs_runserver n WHERE n.run_id = due.id
                    AND n.server_id = ANY(%(full_servers)s)))
    UNION
    SELECT id, state, team_id, turn, 0 FROM runs_run
    WHERE id IN (SELECT id FROM cancelled) AND state || '' = 'QUEUED'
        AND journal_format <= %(format)s AND id <> ALL(%(chosen)s)
        AND (%(hinted_from)s IS NULL OR queued_at < %(hinted_from)s OR queued_at > %(hinted_until)s))
SELECT id, state, needs = 0, c.team_id, turn
FROM (
    SELECT id, state, team_id, turn, needs,
        ROW_NUMBER() OVER (PARTITION BY team_id ORDER BY needs, turn, id) AS place
    FROM (SELECT id, state, team_id, turn, MIN(needs) AS needs FROM candidate GROUP BY id, state, team_id, turn) once
) c LEFT JOIN share ON share.team_id = c.team_id
ORDER BY
    needs,
    (COALESCE(share.runs, 0) + c.place) / CASE WHEN %(weights)s = '{}' THEN 1.0 ELSE COALESCE(
        (SELECT w.value::float FROM json_each_text(%(weights)s::json) w JOIN accounts_team t ON t.slug = w.key
            WHERE t.id = c.team_id), 1.0) END,
    turn, id
LIMIT %(most)s

-- name: due
-- (id, state, cancelled) of one `run` if it may go on, whatever places there are.
WITH message(kind) AS (SELECT kind FROM runs_inboxmessage WHERE run_id = %(run)s)
SELECT id, state, EXISTS (SELECT 1 FROM message WHERE kind = 'cancel')
FROM runs_run h
WHERE id = %(run)s AND journal_format <= %(format)s
    AND (%(suspects)s OR losses = 0 OR EXISTS (SELECT 1 FROM message WHERE kind = 'cancel'))
    AND CASE state
        WHEN 'RUNNING' THEN %(steal)s AND lease_until < %(now)s
        WHEN 'WAITING' THEN wake_at <= %(now)s OR EXISTS (SELECT 1 FROM message)
        WHEN 'PAUSED' THEN EXISTS (SELECT 1 FROM message WHERE kind IN ('resume', 'cancel'))
        WHEN 'QUEUED' THEN EXISTS (SELECT 1 FROM message WHERE kind = 'cancel')
            OR concurrency = '' OR started_at IS NOT NULL OR concurrency_limit > ({before_in_key})
        ELSE FALSE END

-- name: earlier
-- A run that could go on as well and has waited longer than `run` for one of `servers`.
SELECT id
FROM runs_run h
WHERE state IN ('QUEUED', 'WAITING', 'PAUSED') AND id <> %(run)s
    AND queued_at < (SELECT r.queued_at FROM runs_run r WHERE r.id = %(run)s) AND journal_format <= %(format)s
    AND EXISTS (
        SELECT 1 FROM runs_runserver n WHERE n.run_id = h.id
            AND n.server_id = ANY(%(servers)s))
    AND (EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = h.id AND m.kind = 'cancel')
        OR NOT EXISTS (
            SELECT 1 FROM runs_runserver n WHERE n.run_id = h.id
                AND n.server_id = ANY(%(full_servers)s)))
    AND CASE state
        WHEN 'WAITING' THEN wake_at <= %(now)s
            OR EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = h.id)
        WHEN 'PAUSED' THEN
            EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = h.id AND m.kind IN ('resume', 'cancel'))
        WHEN 'QUEUED' THEN
            EXISTS (SELECT 1 FROM runs_inboxmessage m WHERE m.run_id = h.id AND m.kind = 'cancel')
            OR concurrency = '' OR started_at IS NOT NULL OR concurrency_limit > ({before_in_key}) END
LIMIT 1

-- name: take
-- Make the `chosen` ours, of those that still are in the `states` in which they were seen: an owner whose lease ran out
-- may commit the end of its run between our look and our taking; that one stays ended. Rows are locked in the order in
-- which everybody locks them.
UPDATE runs_run SET
    state = 'RUNNING', owner = %(owner)s, fence = fence + 1,
    lease_until = COALESCE(extract(epoch FROM clock_timestamp()) + %(lease_s)s, 0), wake_at = NULL, waiting = '[]',
    journal_format = %(format)s, started_at = COALESCE(started_at, %(started_at)s)
WHERE id IN (
    SELECT r.id FROM runs_run r
    JOIN unnest(%(chosen)s::text[], %(states)s::text[]) AS seen(id, state) ON seen.id = r.id AND seen.state = r.state
    ORDER BY r.id FOR UPDATE OF r)
RETURNING id, fence, losses, last_seq, inbox_seq
