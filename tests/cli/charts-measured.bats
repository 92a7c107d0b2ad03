#!/usr/bin/env bats
# Charts of what only a measurement has: histograms, and series over time. One run is drawn once, and looked at by all
# tests (O-41).
# shellcheck disable=SC2154 # bats sets stderr

# bats file_tags=fast
bats_require_minimum_version 1.5.0

CHECK=$BATS_TEST_DIRNAME/../lib/check_charts.py

measure() {
	"$TOOL" run --target file --allow-ram --yes --write-to "$PWD/file" --iodepth 1,4,16 --ramp-time 50ms --runtime 250ms \
		--anchors never --name "$@" >/dev/null 2>&1 || [ $? -eq 3 ]
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	export LUNSWEEP_DB=$PWD/t.db
	head -c 8M /dev/urandom >file
	measure blocks --rw randread --bs 4k,64k --span 50%,100% --cap p99:5ms
	measure mixes --rw randread,randwrite,randrw --rwmixread 70
	"$TOOL" report 1 -o blocks >blocks.txt 2>blocks.err
	"$TOOL" report 2 -o mixes >mixes.txt 2>mixes.err
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# seqs DIR: the points whose series were drawn.
seqs() {
	(cd "$1" && printf '%s\n' series-point*.svg | tr -dc '0-9\n')
}

@test "block sizes, percentiles, tails and distributions of a run are drawn" {
	"$CHECK" blocks
	for name in heat-randread-span8m heat-randread-span4m percentiles-randread-4k tail-randread-64k \
		latency-randread-4k; do
		[ -s blocks/$name.svg ]
	done
	# A panel for each span.
	grep -q "'span 50%'" blocks/tail-randread-4k.gp
	grep -q "'span 100%'" blocks/tail-randread-4k.gp
	grep -q "'p99 <= 5 ms'" blocks/percentiles-randread-4k.gp
	run ! grep -il warning blocks.err
}

@test "mixes are drawn with reads and writes apart" {
	"$CHECK" mixes
	[ -s mixes/mix-random-4k-span8m.svg ]
	for name in tail latency percentiles; do
		grep -q "'span 100%, reads'" mixes/$name-randrw-4k-70r.gp
		grep -q "'span 100%, writes'" mixes/$name-randrw-4k-70r.gp
	done
	run ! ls blocks/mix-*
}

@test "series are drawn of at most eight points, and the others are named" {
	[ "$(seqs blocks | wc -l)" -le 8 ]
	[ "$(seqs blocks | wc -l)" -ge 4 ]
	cp t.db flagged.db
	sqlite3 flagged.db "INSERT OR IGNORE INTO point_flag (point_id, flag, detail)
		SELECT id, 'unsteady', 'a slope of 30 %' FROM point WHERE run_id = 1"
	"$TOOL" report 1 --db flagged.db --image svg -o flagged >/dev/null 2>&1
	[ "$(seqs flagged | wc -l)" -eq 8 ]
	[ "$(seqs flagged | sort -n | tail -n 1)" -eq 8 ]
	tr '\n' ' ' <flagged/series-point8.txt | grep -q "draws any point: 9 (unsteady), 10 (unsteady), 11"
	grep -q 'unsteady: a slope of 30 %' flagged/series-point1.txt
}

@test "two runs in one directory are kept apart and share the eight series" {
	"$TOOL" report 1 2 --image svg -o both >/dev/null 2>&1
	[ -s both/run1-tail-randread-4k.svg ]
	[ -s both/run2-tail-randread-4k.svg ]
	[ "$(printf '%s\n' both/run*-series-*.svg | wc -l)" -le 8 ]
}

@test "show draws series, tail and distribution of any point" {
	run --separate-stderr "$TOOL" show 1 2 -o point
	[ "$status" -eq 0 ]
	[[ $output == *"Series: "* ]]
	[[ $stderr == *"point/run1-point2-series.svg"* ]]
	"$CHECK" point
	[ "$(printf '%s\n' point/*.svg | wc -l)" -eq 3 ]
	seq=$(sqlite3 t.db "SELECT seq FROM point WHERE run_id = 2 AND rw = 'randrw' AND iodepth = 4")
	"$TOOL" show 2 "$seq" -o point >/dev/null 2>&1
	grep -q "'span 100%, writes'" "point/run2-point$seq-tail.gp"
	"$CHECK" point
}

@test "without gnuplot show still prints the point, and the scripts are there" {
	run -1 --separate-stderr env PATH=/nowhere "$TOOL" show 1 2 -o bare
	[[ $output == *"Series: "* ]]
	[[ $stderr == *"install the package gnuplot-nox"* ]]
	[ -s bare/run1-point2-tail.gp ]
	[ -s bare/run1-point2-tail.txt ]
}

@test "charts of a whole run are the report's" {
	run -2 "$TOOL" show 1 -o point
	[[ $output == *"'lunsweep report 1 -o point' draws those of a run"* ]]
}

@test "failed points have gaps in every kind, and of failed runs nothing is drawn" {
	cp t.db failed.db
	sqlite3 failed.db "
		CREATE TEMP TABLE gone AS SELECT id FROM point WHERE run_id = 1 AND iodepth = 4 AND bs_bytes = 4096;
		INSERT INTO gone SELECT id FROM point WHERE run_id = 2;
		DELETE FROM point_dir WHERE point_id IN gone;
		DELETE FROM point_series WHERE point_id IN gone;
		UPDATE point SET status = 'failed', reason = 'Input/output error', iops = NULL, ios = NULL,
		  util_pct = NULL WHERE id IN gone;"
	"$TOOL" report 1 --db failed.db -o gaps >/dev/null 2>gaps.err
	"$CHECK" gaps
	grep -q '^4 NaN NaN NaN' gaps/percentiles-randread-4k.dat
	grep -q '^1 0 NaN 0 NaN ""' gaps/heat-randread-span8m.dat
	grep -q "iodepth 4 span 50%: failed: Input/output error" gaps/tail-randread-4k.txt
	"$TOOL" report 2 --db failed.db --image svg -o nothing >/dev/null 2>nothing.err
	grep -q "no valid points for 'random 4k" nothing.err
	run ! ls nothing/*.gp nothing/*.svg
}

@test "imported runs have no such charts, and one line says so" {
	export LUNSWEEP_DB=$BATS_TEST_TMPDIR/ult.db
	"$TOOL" import csv "$BATS_TEST_DIRNAME/../data/ult-lun-sizing.csv" >/dev/null 2>&1
	"$TOOL" report -o ult >/dev/null 2>ult.err
	[ "$(grep -c 'for imported run 1: tables have no histograms and series' ult.err)" -eq 1 ]
	run ! ls ult/tail-* ult/latency-* ult/series-*
}
