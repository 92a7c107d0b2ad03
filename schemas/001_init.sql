-- Schema 1. Never edited once released: a change is a new file.
-- Raw figures are integers: ns, bytes, counts. Derived figures are REAL and can be made again.
-- NULL means "not known"; 0 means zero. See README.md beside this file.

PRAGMA application_id = 0x6c737731; -- "lsw1"

-- What was measured. Identity is what names it (never a base name); a device that changes its
-- label or size becomes a row of its own.
CREATE TABLE target (
	id INTEGER PRIMARY KEY,
	identity TEXT NOT NULL CHECK (identity <> ''),
	label TEXT,
	size_bytes INTEGER CHECK (size_bytes > 0)
) STRICT;
CREATE UNIQUE INDEX target_content
	ON target (identity, ifnull(label, ''), ifnull(size_bytes, 0));

CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- a number is never given to a second run
	state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'finished')),
	origin TEXT NOT NULL CHECK (origin IN ('measured', 'imported')),
	key TEXT,
	sweep_name TEXT,
	question TEXT,
	sweep_text TEXT,
	sweep_hash TEXT,
	command TEXT,
	tool_version TEXT,
	git_id TEXT,
	schema_version INTEGER NOT NULL,
	engine TEXT,
	seed INTEGER NOT NULL, -- 64 bits, as two's complement
	start_ns INTEGER NOT NULL CHECK (start_ns > 0), -- wall clock since 1970
	end_ns INTEGER CHECK (end_ns > 0),
	target_id INTEGER NOT NULL REFERENCES target (id),
	target_given TEXT,
	target_resolved TEXT,
	target_queue_limit INTEGER CHECK (target_queue_limit > 0),
	CHECK (state <> 'finished' OR end_ns IS NOT NULL)
) STRICT;
CREATE INDEX run_key ON run (key);
CREATE INDEX run_target ON run (target_id);

-- Host, target, settings, consent: a list, so that a new fact needs no migration.
CREATE TABLE run_fact (
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	name TEXT NOT NULL CHECK (name <> ''),
	value TEXT NOT NULL,
	place INTEGER NOT NULL,
	PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- The questions that the sweep asks.
CREATE TABLE run_cap (
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	place INTEGER NOT NULL CHECK (place >= 1),
	stat TEXT NOT NULL CHECK (stat IN ('mean', 'p50', 'p90', 'p95', 'p99', 'p99.9')),
	limit_ns INTEGER NOT NULL CHECK (limit_ns > 0),
	PRIMARY KEY (run_id, place)
) STRICT, WITHOUT ROWID;

-- Flags that do not spoil a point of this run.
CREATE TABLE run_accept (
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	flag TEXT NOT NULL,
	PRIMARY KEY (run_id, flag)
) STRICT, WITHOUT ROWID;

CREATE TABLE point (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	seq INTEGER NOT NULL CHECK (seq >= 1),
	origin TEXT NOT NULL CHECK (origin IN ('measured', 'imported')),
	status TEXT NOT NULL CHECK (status IN ('planned', 'running', 'ok', 'failed', 'no-io',
		'skipped', 'interrupted')),
	reason TEXT,
	-- The axes: they and the repeat name a point within its run.
	rw TEXT NOT NULL CHECK (rw IN ('read', 'write', 'randread', 'randwrite', 'rw', 'randrw')),
	bs_bytes INTEGER NOT NULL CHECK (bs_bytes > 0),
	iodepth INTEGER NOT NULL CHECK (iodepth >= 1),
	workers INTEGER NOT NULL CHECK (workers >= 1),
	rwmixread_pct INTEGER NOT NULL CHECK (rwmixread_pct BETWEEN 0 AND 100),
	random_pct INTEGER NOT NULL CHECK (random_pct BETWEEN 0 AND 100),
	span_bytes INTEGER NOT NULL, -- 0: an imported table did not say
	span_e4 INTEGER NOT NULL CHECK (span_e4 BETWEEN 0 AND 1000000), -- 0: asked in bytes
	offset_bytes INTEGER NOT NULL CHECK (offset_bytes >= 0),
	repeat INTEGER NOT NULL CHECK (repeat >= 1),
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
	-- Derived; ios and iops are those of the total, here for the last CHECK.
	util_pct REAL CHECK (util_pct >= 0),
	cpu_pct REAL CHECK (cpu_pct >= 0),
	ios INTEGER CHECK (ios >= 0),
	iops REAL CHECK (iops >= 0),
	UNIQUE (run_id, seq),
	UNIQUE (run_id, rw, bs_bytes, iodepth, workers, rwmixread_pct, random_pct, span_bytes,
		offset_bytes, repeat),
	CHECK (span_bytes > 0 OR (span_bytes = 0 AND origin = 'imported')),
	CHECK (status <> 'skipped' OR reason IS NOT NULL),
	-- A point that is ok did I/O.
	CHECK (status <> 'ok' OR (ifnull(iops, 0) > 0
		AND (ifnull(ios, 0) > 0 OR (origin = 'imported' AND ios IS NULL))))
) STRICT;

-- One row per direction asked, and always total. Sums are raw; the figures behind them follow
-- from sums, histogram and series by the code of that figures_version.
CREATE TABLE point_dir (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	dir TEXT NOT NULL CHECK (dir IN ('read', 'write', 'total')),
	ios INTEGER CHECK (ios >= 0),
	bytes INTEGER CHECK (bytes >= 0),
	lat_sum_ns INTEGER CHECK (lat_sum_ns >= 0),
	slat_sum_ns INTEGER CHECK (slat_sum_ns >= 0),
	lat_hist BLOB,
	figures_version INTEGER NOT NULL,
	iops REAL CHECK (iops >= 0),
	mib_s REAL CHECK (mib_s >= 0),
	lat_mean_ns REAL CHECK (lat_mean_ns >= 0),
	lat_sd_ns REAL CHECK (lat_sd_ns >= 0),
	lat_min_ns REAL CHECK (lat_min_ns >= 0),
	lat_max_ns REAL CHECK (lat_max_ns >= lat_min_ns),
	lat_p50_ns REAL CHECK (lat_p50_ns >= lat_min_ns),
	lat_p90_ns REAL CHECK (lat_p90_ns >= lat_p50_ns),
	lat_p95_ns REAL CHECK (lat_p95_ns >= lat_p90_ns),
	lat_p99_ns REAL CHECK (lat_p99_ns >= lat_p95_ns),
	lat_p999_ns REAL CHECK (lat_p999_ns >= lat_p99_ns),
	slat_mean_ns REAL CHECK (slat_mean_ns >= 0),
	clat_mean_ns REAL,
	iops_se_rel REAL CHECK (iops_se_rel >= 0),
	lat_se_rel REAL CHECK (lat_se_rel >= 0),
	UNIQUE (point_id, dir),
	CHECK (lat_max_ns >= lat_p999_ns),
	CHECK (dir <> 'total' OR lat_hist IS NULL) -- total is the sum of the other two
) STRICT;

CREATE TABLE point_flag (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	flag TEXT NOT NULL CHECK (flag <> ''),
	detail TEXT, -- the figures behind it
	PRIMARY KEY (point_id, flag)
) STRICT, WITHOUT ROWID;

CREATE TABLE point_worker (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	worker INTEGER NOT NULL CHECK (worker >= 0),
	iodepth INTEGER NOT NULL CHECK (iodepth >= 0),
	read_ios INTEGER NOT NULL CHECK (read_ios >= 0),
	read_bytes INTEGER NOT NULL CHECK (read_bytes >= 0),
	read_lat_sum_ns INTEGER NOT NULL CHECK (read_lat_sum_ns >= 0),
	read_slat_sum_ns INTEGER NOT NULL CHECK (read_slat_sum_ns >= 0),
	write_ios INTEGER NOT NULL CHECK (write_ios >= 0),
	write_bytes INTEGER NOT NULL CHECK (write_bytes >= 0),
	write_lat_sum_ns INTEGER NOT NULL CHECK (write_lat_sum_ns >= 0),
	write_slat_sum_ns INTEGER NOT NULL CHECK (write_slat_sum_ns >= 0),
	depth_mean REAL,
	depth_max INTEGER NOT NULL CHECK (depth_max >= 0),
	cpu_user_ns INTEGER NOT NULL CHECK (cpu_user_ns >= 0),
	cpu_sys_ns INTEGER NOT NULL CHECK (cpu_sys_ns >= 0),
	cpu_run_ns INTEGER NOT NULL CHECK (cpu_run_ns >= 0),
	cpu_wait_ns INTEGER NOT NULL CHECK (cpu_wait_ns >= 0),
	voluntary_switches INTEGER NOT NULL CHECK (voluntary_switches >= 0),
	submit_ns INTEGER NOT NULL CHECK (submit_ns >= 0),
	PRIMARY KEY (point_id, worker)
) STRICT, WITHOUT ROWID;

-- What completed in each interval of point.interval_ns; empty intervals are rows too.
CREATE TABLE point_series (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
	interval INTEGER NOT NULL CHECK (interval >= 0),
	read_ios INTEGER NOT NULL CHECK (read_ios >= 0),
	read_lat_sum_ns INTEGER NOT NULL CHECK (read_lat_sum_ns >= 0),
	write_ios INTEGER NOT NULL CHECK (write_ios >= 0),
	write_lat_sum_ns INTEGER NOT NULL CHECK (write_lat_sum_ns >= 0),
	PRIMARY KEY (point_id, interval)
) STRICT, WITHOUT ROWID;

-- The kernel's counters of the device that serves the target, around the window.
CREATE TABLE point_counter (
	point_id INTEGER NOT NULL REFERENCES point (id) ON DELETE CASCADE,
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
	PRIMARY KEY (point_id, moment)
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
	p.repeat AS repeat
FROM point p
JOIN run r ON r.id = p.run_id
JOIN target t ON t.id = r.target_id
JOIN (SELECT 'total' AS dir UNION ALL SELECT 'read' UNION ALL SELECT 'write') way
	ON way.dir = 'total'
	OR (way.dir = 'read' AND p.rwmixread_pct > 0)
	OR (way.dir = 'write' AND p.rwmixread_pct < 100)
LEFT JOIN point_dir d ON d.point_id = p.id AND d.dir = way.dir;

-- One line per curve, over the points that decide: ok, and not spoiled by a flag that the run
-- does not accept.
CREATE VIEW v_curve AS
WITH valid AS (
	SELECT p.*,
		row_number() OVER (PARTITION BY p.run_id, p.rw, p.bs_bytes, p.span_bytes,
			p.rwmixread_pct, p.workers, p.random_pct, p.offset_bytes
			ORDER BY p.iops DESC, p.iodepth) AS place
	FROM point p
	WHERE p.status = 'ok' AND NOT EXISTS (
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
