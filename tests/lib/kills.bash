# SPDX-License-Identifier: MIT
# Runs that are killed at any moment, and what must be whole afterwards. Needs common and run.
# shellcheck shell=bash

# The sweep: 24 points of 20 ms, of which one or a few are measured before the next kill.
KILLS_SWEEP=(--rw 'randread,read' --bs '4k,8k,16k' --iodepth '1..8*2' --runtime 20ms --ramp-time 2ms
	--anchors never --seed 7)
export KILLS_POINTS=24
KILLS_LATEST_MS=400

# The program itself and no shell around it, so that it is what is killed.
kills_sweep() {
	exec "$TOOL" run --target "$SCRATCH/file" "${KILLS_SWEEP[@]}" >"$SCRATCH/out" 2>&1 3>&-
}

# ended_well STATUS...: one of these; a busy machine may give no I/O to a point of 20 ms, which is 3.
ended_well() {
	local status=$1

	shift
	[[ " $* " != *" $status "* ]] || return 0
	echo "status $status:" >&2
	head -n 20 "$SCRATCH/out" >&2
	return 1
}

# swept: the sweep begins or goes on, and comes to its end.
swept() {
	local status=0

	(kills_sweep) || status=$?
	ended_well $status 0 3
}

# killed_after MS: the same, killed after so long unless it ended before.
killed_after() {
	local pid status=0

	(kills_sweep) &
	pid=$!
	sleep "$(printf '0.%03d' "$1")"
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || status=$?
	ended_well $status 0 3 137
}

# finished_points: what is stored of them, one a line.
finished_points() {
	stored "SELECT p.*, d.dir, d.ios, d.iops, hex(d.lat_hist)
		FROM point p JOIN point_dir d ON d.point_id = p.id
		WHERE p.status NOT IN ('planned', 'running')" | sort
}

# nothing_is_half: a finished point has all its parts, any other none of them, and one at most is
# going on.
nothing_is_half() {
	local half

	half=$(stored "
		SELECT 'without all its parts: ' || seq FROM point p WHERE status = 'ok' AND NOT (
			EXISTS (SELECT 1 FROM point_dir d WHERE d.point_id = p.id
				AND d.dir <> 'total' AND d.lat_hist IS NOT NULL)
			AND EXISTS (SELECT 1 FROM point_dir d WHERE d.point_id = p.id AND d.dir = 'total')
			AND EXISTS (SELECT 1 FROM point_worker w WHERE w.point_id = p.id));
		SELECT 'parts of what is not finished: ' || seq FROM point p
			WHERE status IN ('planned', 'running')
			AND EXISTS (SELECT 1 FROM point_dir d WHERE d.point_id = p.id);
		SELECT 'going on: ' || count(*) FROM point WHERE status = 'running' GROUP BY run_id
			HAVING count(*) > 1;
		SELECT * FROM pragma_foreign_key_check;
		SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
	[ -z "$half" ] || {
		head -n 10 <<<"$half" >&2
		return 1
	}
}

# survives_kills N: the sweep, killed N times at moments drawn from seed $KILLS_SEED, each time going
# on where it was; after each nothing is half and no finished point is gone or another.
survives_kills() {
	local i

	RANDOM=$KILLS_SEED
	: >"$SCRATCH/before"
	for ((i = 1; i <= $1; i++)); do
		killed_after $((RANDOM % KILLS_LATEST_MS)) || return 1
		[ -s "$LUNSWEEP_DB" ] || continue
		# A kill before the schema was committed leaves an empty file or a journal.
		[ "$(stored "SELECT count(*) FROM sqlite_schema WHERE name = 'point'")" = 1 ] || continue
		nothing_is_half || return 1
		finished_points >"$SCRATCH/after"
		ledger kills
		ledger points_checked "$(wc -l <"$SCRATCH/before")"
		ledger points_lost "$(comm -23 "$SCRATCH/before" "$SCRATCH/after" | wc -l)"
		if [ -n "$(comm -23 "$SCRATCH/before" "$SCRATCH/after")" ]; then
			echo "after kill $i (seed $KILLS_SEED) finished points are lost or changed:" >&2
			comm -23 "$SCRATCH/before" "$SCRATCH/after" | cut -c 1-200 >&2
			return 1
		fi
		mv "$SCRATCH/after" "$SCRATCH/before"
	done
}

# planned_of RUN: what does not depend on time in its points; measured are also those that a busy
# machine gave no I/O.
planned_of() {
	stored "SELECT seq, rw, bs_bytes, iodepth, workers, span_bytes, offset_bytes, seed,
		replace(status, 'no-io', 'ok') FROM point WHERE run_id = $1 ORDER BY seq"
}
