#!/usr/bin/env bats
# bats file_tags=fast
load store_helper

@test "show of a run prints its set-up, its sweep and a line per point" {
	matches_golden show-run.txt "$TOOL" show 2 --db stored.db
}

@test "show of a point prints workers, directions, percentiles, counters and verdicts" {
	matches_golden show-point.txt "$TOOL" show 2 2 --db stored.db
}

@test "show of a failed point prints its error and no figures" {
	matches_golden show-failed.txt "$TOOL" show 2 3 --db stored.db
}

@test "show of an imported point prints what is known and a dash for the rest" {
	matches_golden show-imported.txt "$TOOL" show 1 4 --db stored.db
}

@test "a percentile is marked where fewer than 10 samples lie beyond it" {
	"$TOOL" show 2 1 --db stored.db >out
	# 1400 reads and 600 writes: 99 % needs 1000, 95 % needs 200
	grep -qE '^  99 % +[0-9.]+ +[0-9.]+\* +[0-9.]+$' out
	grep -qE '^  95 % +[0-9.]+ +[0-9.]+ +[0-9.]+$' out
	grep -qE '^  \* only 1400 reads, 600 writes, 2000 in all: fewer than 10 lie beyond$' out
}

@test "show gives a point as JSON, and says where a run as JSON is" {
	"$TOOL" show 2 2 --db stored.db --format json >out
	python3 - <<-'PY'
	import json
	d = json.load(open("out"))
	assert d["format"] == "lunsweep-point" and d["seq"] == 2 and d["run"] == 2
	assert [v["flag"] for v in d["verdicts"]] == ["stall", "queue-limited"]
	for way in "total", "read", "write":
	    w = d[way]
	    assert sum(b[2] for b in w["histogram"]) == w["ios"] == sum(x["ios"] for x in w["workers"])
	    ms = [q["ms"] for q in w["percentiles"]]
	    assert ms == sorted(ms) and ms[0] == w["lat_min_ms"] and ms[-1] == w["lat_max_ms"]
	    assert all(x["lat_sd_ms"] is None for x in w["workers"])
	assert sum(i[0] + i[2] for i in d["series"]) == d["total"]["ios"]
	assert d["counters"]["bottom"] is None and d["counters"]["target"]["busy_ms"] == 2500
	PY
	fails_with 2 "lunsweep report 2 --format json" "$TOOL" show 2 --db stored.db --format json
	fails_with 2 "'xml' is no format: use text, markdown or json" "$TOOL" show 2 2 --db stored.db --format xml
}

@test "the deviations of the workers are those of all latencies, and the host's cores are stored" {
	head -c 4M /dev/urandom >file
	run "$TOOL" run --target "$PWD/file" --allow-ram --rw randrw --rwmixread 60 --iodepth 4 --workers 2 \
		--ramp-time 50ms --runtime 1s --anchors never --yes --write-to "$PWD/file"
	echo "$output"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	"$TOOL" show 1 1 --format json >out
	"$TOOL" show 1 1 >text
	python3 - <<-'PY'
	import json, math, os, sqlite3
	db = sqlite3.connect(os.environ["LUNSWEEP_DB"])
	for way in "read", "write":
	    n, total, squares = db.execute(f"SELECT sum({way}_ios), sum({way}_lat_sum_ns), "
	        f"sum({way}_lat_sq_ns2) FROM point_worker").fetchone()
	    sd, = db.execute("SELECT lat_sd_ns FROM point_dir WHERE dir = ?", [way]).fetchone()
	    assert math.isclose(sd, math.sqrt((squares - total ** 2 / n) / (n - 1)), rel_tol=1e-6)
	d = json.load(open("out"))
	for way in "read", "write", "total":
	    assert all(w["lat_sd_ms"] >= 0 for w in d[way]["workers"]) and len(d[way]["workers"]) == 2
	assert d["cores"] and sum(v for c in d["cores"] for k, v in c.items() if k != "core") > 0
	PY
	grep -q '^CPU of the workers, in % of one core$' text
	grep -q '^Cores of the host over [0-9.]* s, in %' text
}

@test "show --plot draws the series of a point, and says where there is none" {
	"$TOOL" show 2 2 --db stored.db --plot >out
	"$TOOL" show 2 2 --db stored.db >plain
	# The plot comes behind all that is there without.
	head -n "$(wc -l <plain)" out | cmp - plain
	grep -q '^  IOPS  *mean latency, ms$' out
	grep -q 'Each letter is a step of' out
	"$TOOL" show 1 4 --db stored.db --plot | grep -q 'This point has no series.'
	run -2 --separate-stderr "$TOOL" show 2 --db stored.db --plot
	[[ $stderr == *"'lunsweep report 2 --plot' plots the curves of a run"* ]]
	run -2 --separate-stderr "$TOOL" show 2 2 --db stored.db --plot --format json
	[[ $stderr == *"--plot is for text and markdown"* ]]
}

@test "show refuses runs and points that are not there" {
	fails_with 1 "there is no run 9 in" "$TOOL" show 9 --db stored.db
	fails_with 1 "run 2 has no point 77" "$TOOL" show 2 77 --db stored.db
	fails_with 2 "run: 'last' is not a whole number" "$TOOL" show last --db stored.db
	fails_with 2 "point: '0' is out of range" "$TOOL" show 2 0 --db stored.db
	fails_with 2 "show takes the number of a run" "$TOOL" show --db stored.db
}
