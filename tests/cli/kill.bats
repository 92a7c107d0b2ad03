#!/usr/bin/env bats
# Killed at any moment, a hundred times: no finished point is lost, no half one is there, the run
# goes on where it was, and in the end it is what an undisturbed run is. KILLS says how many times.

load ../lib/common
load ../lib/loop
load ../lib/run
load ../lib/kills

setup() {
	scratch_up
	db_up
	random_file "$SCRATCH/file" 8M
	KILLS_SEED=${KILLS_SEED:-$RANDOM}
}

@test "killed at random moments, the run loses nothing and ends as an undisturbed one" {
	survives_kills "${KILLS:-100}"
	finished_points >"$SCRATCH/before"
	swept
	finished_points >"$SCRATCH/after"
	[ -z "$(comm -23 "$SCRATCH/before" "$SCRATCH/after")" ]
	LUNSWEEP_DB=$SCRATCH/undisturbed.db swept

	local run last expected
	expected=$(LUNSWEEP_DB=$SCRATCH/undisturbed.db planned_of 1)
	[ "$(wc -l <<<"$expected")" -eq "$KILLS_POINTS" ]
	last=$(stored "SELECT max(id) FROM run")
	for run in $(seq "$last"); do
		[ "$(stored "SELECT state FROM run WHERE id = $run")" = finished ]
		[ "$(planned_of "$run")" = "$expected" ]
	done
	echo "# ${KILLS:-100} kills survived (seed $KILLS_SEED): $last runs, $(wc -l <"$SCRATCH/after") rows of finished points, 0 lost" >&3
}
