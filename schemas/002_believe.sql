-- Schema 2: anchors, offered load, intervals of percentiles, counters of the device at the bottom.
-- A table constraint cannot be altered, so point and point_counter are made anew. The program runs
-- this with foreign keys off and checks them before it commits.

DROP VIEW v_curve;
DROP VIEW v_point;

CREATE TABLE point_new (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	seq INTEGER NOT NULL CHECK (seq >= 1),
	origin TEXT NOT NULL CHECK (origin IN ('measured', 'imported')),
	status TEXT NOT NULL CHECK (status IN ('planned', 'running', 'ok', 'failed', 'no-io',
		'skipped', 'interrupted')),
	reason TEXT,
	-- The axes: they, the repeat and the anchor name a point within its run.
	rw TEXT NOT NULL CHECK (rw IN ('read', 'write', 'randread', 'randwrite', 'rw', 'randrw')),
	bs_bytes INTEGER NOT NULL CHECK (bs_bytes > 0),
	iodepth INTEGER NOT NULL CHECK (iodepth >= 1),
	workers INTEGER NOT NULL CHECK (workers >= 1),
	rwmixread_pct INTEGER NOT NULL CHECK (rwmixread_pct BETWEEN 0 AND 100),
	random_pct INTEGER NOT NULL CHECK (random_pct BETWEEN 0 AND 100),
	span_bytes INTEGER NOT NULL, -- 0: an imported table did not say
	span_e4 INTEGER NOT NULL CHECK (span_e4 BETWEEN 0 AND 1000000), -- 0: asked in bytes
	offset_bytes INTEGER NOT NULL CHECK (offset_bytes >= 0),
	-- The offered load asked for: IOPS, or per cent of the maximum found; both 0: closed loop.
	rate_ask_iops INTEGER NOT NULL DEFAULT 0 CHECK (rate_ask_iops >= 0),
	rate_e4 INTEGER NOT NULL DEFAULT 0 CHECK (rate_e4 >= 0),
	repeat INTEGER NOT NULL CHECK (repeat >= 1),
	-- 1: measured again when its curve was done, to see whether the device has changed.
	is_anchor INTEGER NOT NULL DEFAULT 0 CHECK (is_anchor IN (0, 1)),
	-- How it went; wall clock for people, durations from the monotonic clock.
	start_ns INTEGER,
	end_ns INTEGER,
	ramp_ns INTEGER CHECK (ramp_ns >= 0),
	window_ns INTEGER CHECK (window_ns >= 0),
	drain_ns INTEGER CHECK (drain_ns >= 0),
	interval_ns INTEGER CHECK (interval_ns >= 0),
	counters_ns INTEGER CHECK (counters_ns >= 0),
	seed INTEGER,
	error_errno INTEGER,
	error_offset_bytes INTEGER,
	nr_errors INTEGER CHECK (nr_errors >= 0),
	buffer_bytes INTEGER CHECK (buffer_bytes >= 0),
	buffer_huge_bytes INTEGER CHECK (buffer_huge_bytes BETWEEN 0 AND buffer_bytes),
	depth_mean REAL CHECK (depth_mean >= 0),
	depth_max INTEGER CHECK (depth_max >= 0),
	little_rel REAL,
	-- Offered load: what was offered in IOPS, starts intended in the window, those not submitted
	-- at its end, and how late the others were submitted, beyond a wait for the limit in flight.
	rate_iops REAL CHECK (rate_iops > 0),
	arrivals INTEGER CHECK (arrivals >= 0),
	backlog INTEGER CHECK (backlog >= 0),
	late_p50_ns REAL CHECK (late_p50_ns >= 0),
	late_p99_ns REAL CHECK (late_p99_ns >= late_p50_ns),
	late_max_ns REAL CHECK (late_max_ns >= late_p99_ns),
	-- Derived; ios and iops are those of the total, here for the last CHECK.
	util_pct REAL CHECK (util_pct >= 0),
	cpu_pct REAL CHECK (cpu_pct >= 0),
	ios INTEGER CHECK (ios >= 0),
	iops REAL CHECK (iops >= 0),
	UNIQUE (run_id, seq),
	UNIQUE (run_id, rw, bs_bytes, iodepth, workers, rwmixread_pct, random_pct, span_bytes,
		offset_bytes, rate_ask_iops, rate_e4, repeat, is_anchor),
	CHECK (span_bytes > 0 OR (span_bytes = 0 AND origin = 'imported')),
	CHECK (status <> 'skipped' OR reason IS NOT NULL),
	CHECK (rate_ask_iops = 0 OR rate_e4 = 0),
	-- A point that is ok did I/O.
	CHECK (status <> 'ok' OR (ifnull(iops, 0) > 0
		AND (ifnull(ios, 0) > 0 OR (origin = 'imported' AND ios IS NULL))))
) STRICT;

INSERT INTO point_new (id, run_id, seq, origin, status, reason, rw, bs_bytes, iodepth, workers,
	rwmixread_pct, random_pct, span_bytes, span_e4, offset_bytes, repeat, start_ns, end_ns,
	ramp_ns, window_ns, drain_ns, interval_ns, counters_ns, seed, error_errno,
	error_offset_bytes, nr_errors, buffer_bytes, buffer_huge_bytes, depth_mean, depth_max,
	little_rel, util_pct, cpu_pct, ios, iops)
SELECT id, run_id, seq, origin, status, reason, rw, bs_bytes, iodepth, workers,
	rwmixread_pct, random_pct, span_bytes, span_e4, offset_bytes, repeat, start_ns, end_ns,
	ramp_ns, window_ns, drain_ns, interval_ns, counters_ns, seed, error_errno,
	error_offset_bytes, nr_errors, buffer_bytes, buffer_huge_bytes, depth_mean, depth_max,
	little_rel, util_pct, cpu_pct, ios, iops
FROM point;
DROP TABLE point;
ALTER TABLE point_new RENAME TO point;

-- layer 'target' is the device itself, 'bottom' the one that serves it: what a loop device's
-- file lies on. Where they are the same device there is no bottom.
CREATE TABLE point_counter_new (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	layer TEXT NOT NULL CHECK (layer IN ('target', 'bottom')),
	moment TEXT NOT NULL CHECK (moment IN ('before', 'after')),
	read_ios INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	read_ms INTEGER NOT NULL,
	write_ios INTEGER NOT NULL,
	write_bytes INTEGER NOT NULL,
	write_ms INTEGER NOT NULL,
	in_flight INTEGER NOT NULL,
	busy_ms INTEGER NOT NULL,
	queue_ms INTEGER NOT NULL,
	PRIMARY KEY (point_id, layer, moment)
) STRICT, WITHOUT ROWID;

INSERT INTO point_counter_new (point_id, layer, moment, read_ios, read_bytes, read_ms, write_ios,
	write_bytes, write_ms, in_flight, busy_ms, queue_ms)
SELECT point_id, 'target', moment, read_ios, read_bytes, read_ms, write_ios, write_bytes, write_ms,
	in_flight, busy_ms, queue_ms
FROM point_counter;
DROP TABLE point_counter;
ALTER TABLE point_counter_new RENAME TO point_counter;

-- 95 % intervals of two percentiles.
ALTER TABLE point_dir ADD COLUMN lat_p95_lo_ns REAL CHECK (lat_p95_lo_ns <= lat_p95_ns);
ALTER TABLE point_dir ADD COLUMN lat_p95_hi_ns REAL CHECK (lat_p95_hi_ns >= lat_p95_ns);
ALTER TABLE point_dir ADD COLUMN lat_p99_lo_ns REAL CHECK (lat_p99_lo_ns <= lat_p99_ns);
ALTER TABLE point_dir ADD COLUMN lat_p99_hi_ns REAL CHECK (lat_p99_hi_ns >= lat_p99_ns);

-- Sums of the squares of the latencies: what the deviation of each worker comes from.
ALTER TABLE point_worker ADD COLUMN read_lat_sq_ns2 REAL CHECK (read_lat_sq_ns2 >= 0);
ALTER TABLE point_worker ADD COLUMN write_lat_sq_ns2 REAL CHECK (write_lat_sq_ns2 >= 0);

-- Where the time of each core of the host went between the two moments of point_counter. irq: hard
-- and soft ones; steal: a hypervisor ran something else.
CREATE TABLE point_cpu (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	cpu INTEGER NOT NULL CHECK (cpu >= 0),
	user_ms INTEGER NOT NULL CHECK (user_ms >= 0),
	system_ms INTEGER NOT NULL CHECK (system_ms >= 0),
	irq_ms INTEGER NOT NULL CHECK (irq_ms >= 0),
	steal_ms INTEGER NOT NULL CHECK (steal_ms >= 0),
	iowait_ms INTEGER NOT NULL CHECK (iowait_ms >= 0),
	idle_ms INTEGER NOT NULL CHECK (idle_ms >= 0),
	PRIMARY KEY (point_id, cpu)
) STRICT, WITHOUT ROWID;

-- How a target was filled, and perhaps brought to a steady state by random writes. It was written by
-- consent, as the data of the target is gone.
CREATE TABLE preparation (
	id INTEGER PRIMARY KEY,
	target_id INTEGER NOT NULL REFERENCES target (id),
	target_resolved TEXT,
	-- running: in hand, or its process died; abandoned: what it had written was found to be
	-- gone, and another one began afresh. All but the last two can be gone on with.
	state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'failed', 'abandoned',
		'finished')),
	reason TEXT,
	start_ns INTEGER NOT NULL,
	end_ns INTEGER, -- before start_ns where the clock was set back
	attempts INTEGER NOT NULL CHECK (attempts >= 1),
	busy_ns INTEGER NOT NULL CHECK (busy_ns >= 0),
	-- The fill: each pass writes every block of the span once, in order.
	offset_bytes INTEGER NOT NULL CHECK (offset_bytes >= 0),
	span_bytes INTEGER NOT NULL CHECK (span_bytes > 0),
	passes INTEGER NOT NULL CHECK (passes >= 1),
	passes_done INTEGER NOT NULL CHECK (passes_done BETWEEN 0 AND passes),
	pass_bytes INTEGER NOT NULL CHECK (pass_bytes BETWEEN 0 AND span_bytes),
	filled_bytes INTEGER NOT NULL
		GENERATED ALWAYS AS (passes_done * span_bytes + pass_bytes) VIRTUAL,
	seed INTEGER NOT NULL,
	-- Random writes in rounds until they are steady; NULL where that was not asked for.
	bs_bytes INTEGER CHECK (bs_bytes > 0),
	iodepth INTEGER CHECK (iodepth >= 1),
	round_ns INTEGER CHECK (round_ns > 0),
	max_ns INTEGER CHECK (max_ns > 0),
	rounds INTEGER CHECK (rounds >= 0),
	is_steady INTEGER CHECK (is_steady IN (0, 1)),
	last_iops REAL CHECK (last_iops >= 0),
	last_range REAL,
	last_slope REAL,
	command TEXT NOT NULL,
	tool_version TEXT NOT NULL,
	git_id TEXT NOT NULL,
	engine TEXT NOT NULL,
	consent TEXT NOT NULL,
	overwrote_signature INTEGER NOT NULL CHECK (overwrote_signature IN (0, 1)),
	CHECK (state <> 'finished' OR passes_done = passes)
) STRICT;

CREATE TABLE preparation_round (
	preparation_id INTEGER NOT NULL REFERENCES preparation (id) ON DELETE CASCADE,
	attempt INTEGER NOT NULL CHECK (attempt >= 1),
	round INTEGER NOT NULL CHECK (round >= 1),
	start_ns INTEGER NOT NULL,
	window_ns INTEGER NOT NULL CHECK (window_ns >= 0),
	ios INTEGER NOT NULL CHECK (ios >= 0),
	iops REAL NOT NULL CHECK (iops >= 0),
	lat_mean_ns REAL CHECK (lat_mean_ns >= 0),
	PRIMARY KEY (preparation_id, attempt, round)
) STRICT, WITHOUT ROWID;

-- Points of other runs that a search (lunsweep find) began with: told them and its own points, the
-- search asks for the same points and gives the same answers again.
CREATE TABLE search_seed (
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	point_id INTEGER NOT NULL REFERENCES point (id),
	PRIMARY KEY (run_id, point_id)
) STRICT, WITHOUT ROWID;

-- One line per point and direction. iops_ci_pct is half of the 95 % interval.
CREATE VIEW v_point AS
SELECT p.run_id AS run,
	p.seq AS point,
	p.status AS status,
	t.identity AS target,
	p.rw AS rw,
	way.dir AS dir,
	p.bs_bytes AS bs,
	p.iodepth AS iodepth,
	nullif(p.span_bytes, 0) AS span_bytes,
	p.rwmixread_pct AS rwmixread,
	p.workers AS workers,
	d.iops AS iops,
	d.mib_s AS mib_s,
	d.lat_mean_ns / 1e6 AS lat_mean_ms,
	d.lat_p50_ns / 1e6 AS lat_p50_ms,
	d.lat_p95_ns / 1e6 AS lat_p95_ms,
	d.lat_p99_ns / 1e6 AS lat_p99_ms,
	d.lat_max_ns / 1e6 AS lat_max_ms,
	p.util_pct AS util_pct,
	p.cpu_pct AS cpu_pct,
	d.iops_se_rel * 195.9964 AS iops_ci_pct,
	ifnull((SELECT group_concat(f.flag, ' ') FROM point_flag f WHERE f.point_id = p.id), '')
		AS flags,
	d.lat_p90_ns / 1e6 AS lat_p90_ms,
	d.lat_p999_ns / 1e6 AS lat_p999_ms,
	d.slat_mean_ns / 1e6 AS slat_mean_ms,
	d.clat_mean_ns / 1e6 AS clat_mean_ms,
	p.depth_mean AS depth_mean,
	p.depth_max AS depth_max,
	p.seq AS seq,
	p.id AS point_id,
	p.reason AS reason,
	p.origin AS origin,
	nullif(p.span_e4, 0) / 1e4 AS span_pct,
	p.offset_bytes AS offset_bytes,
	p.random_pct AS random_pct,
	p.repeat AS repeat,
	p.is_anchor AS is_anchor,
	coalesce(p.rate_iops, nullif(p.rate_ask_iops, 0)) AS rate_iops,
	nullif(p.rate_e4, 0) / 1e4 AS rate_pct,
	p.late_p50_ns / 1e6 AS late_p50_ms,
	p.late_p99_ns / 1e6 AS late_p99_ms,
	p.late_max_ns / 1e6 AS late_max_ms,
	p.arrivals AS arrivals,
	p.backlog AS backlog,
	d.lat_se_rel * 195.9964 AS lat_ci_pct,
	d.lat_p95_lo_ns / 1e6 AS lat_p95_lo_ms,
	d.lat_p95_hi_ns / 1e6 AS lat_p95_hi_ms,
	d.lat_p99_lo_ns / 1e6 AS lat_p99_lo_ms,
	d.lat_p99_hi_ns / 1e6 AS lat_p99_hi_ms,
	-- 1: it may decide an answer of a closed loop, as in v_curve.
	p.status = 'ok' AND p.is_anchor = 0 AND p.rate_ask_iops = 0 AND p.rate_e4 = 0
		AND NOT EXISTS (SELECT 1 FROM point_flag f WHERE f.point_id = p.id
			AND f.flag IN ('io-error', 'little', 'unwritten', 'host-cache',
				'foreign-load', 'stall')
			AND f.flag NOT IN (SELECT a.flag FROM run_accept a
				WHERE a.run_id = p.run_id)) AS decides
FROM point p
JOIN run r ON r.id = p.run_id
JOIN target t ON t.id = r.target_id
JOIN (SELECT 'total' AS dir UNION ALL SELECT 'read' UNION ALL SELECT 'write') way
	ON way.dir = 'total'
	OR (way.dir = 'read' AND p.rwmixread_pct > 0)
	OR (way.dir = 'write' AND p.rwmixread_pct < 100)
LEFT JOIN point_dir d ON d.point_id = p.id AND d.dir = way.dir;

-- One line per curve of closed loops, over the points that decide: ok, and not spoiled by a flag
-- that the run does not accept.
CREATE VIEW v_curve AS
WITH valid AS (
	SELECT p.*,
		row_number() OVER (PARTITION BY p.run_id, p.rw, p.bs_bytes, p.span_bytes,
			p.rwmixread_pct, p.workers, p.random_pct, p.offset_bytes
			ORDER BY p.iops DESC, p.iodepth) AS place
	FROM point p
	WHERE p.status = 'ok' AND p.is_anchor = 0 AND p.rate_ask_iops = 0 AND p.rate_e4 = 0
		AND NOT EXISTS (
		SELECT 1 FROM point_flag f WHERE f.point_id = p.id
			AND f.flag IN ('io-error', 'little', 'unwritten', 'host-cache',
				'foreign-load', 'stall')
			AND f.flag NOT IN (SELECT a.flag FROM run_accept a
				WHERE a.run_id = p.run_id))
)
SELECT v.run_id AS run,
	t.identity AS target,
	v.rw AS rw,
	v.bs_bytes AS bs,
	nullif(v.span_bytes, 0) AS span_bytes,
	v.rwmixread_pct AS rwmixread,
	v.workers AS workers,
	count(*) AS points,
	max(v.iops) AS peak_iops,
	max(CASE WHEN v.place = 1 THEN v.iodepth END) AS peak_iodepth,
	min(v.iodepth) AS first_iodepth,
	max(v.iodepth) AS last_iodepth,
	v.random_pct AS random_pct,
	v.offset_bytes AS offset_bytes
FROM valid v
JOIN run r ON r.id = v.run_id
JOIN target t ON t.id = r.target_id
GROUP BY v.run_id, v.rw, v.bs_bytes, v.span_bytes, v.rwmixread_pct, v.workers, v.random_pct,
	v.offset_bytes;
