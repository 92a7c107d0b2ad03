#!/usr/bin/env bats
# bats file_tags=fast
load store_helper

@test "export prints the points of a measured run as CSV and as JSON" {
	matches_golden export.csv "$TOOL" export 2 --db stored.db
	matches_golden export.json "$TOOL" export 2 --db stored.db --format json
}

@test "CSV and JSON are read by strict parsers and say the same" {
	"$TOOL" export 2 --db stored.db >e.csv
	"$TOOL" export 2 --db stored.db --format json >e.json
	jq -e '.points | length == 15' e.json
	python3 - e.csv e.json <<-'PY'
	import csv, json, sys
	rows = list(csv.reader(open(sys.argv[1], newline=""), strict=True))
	points = json.load(open(sys.argv[2]))["points"]
	header, rows = rows[0], rows[1:]
	assert len(set(header)) == len(header)
	assert all(len(r) == len(header) for r in rows)
	assert len(rows) == len(points)
	for row, point in zip(rows, points):
	    assert list(point) == header
	    for text, value in zip(row, point.values()):
	        if value is None:
	            assert text == ""
	        elif isinstance(value, str):
	            assert text == value
	        else:
	            assert float(text) == value
	PY
}

@test "a figure that is not known is empty in CSV and null in JSON, never 0" {
	"$TOOL" export 1 --db stored.db --format json >e.json
	jq -e '.points[0] | .ios == null and .util_pct == null and .iops == 10000' e.json
	jq -e '.points[0] | .span_bytes == null and .flags == ""' e.json
}

@test "the view v_point and the export agree" {
	"$TOOL" export 2 --db stored.db >e.csv
	python3 - e.csv <<-'PY'
	import csv, math, sqlite3, sys
	db = sqlite3.connect("stored.db")
	db.row_factory = sqlite3.Row
	view = {(r["point"], r["dir"]): r for r in db.execute("SELECT * FROM v_point WHERE run = 2")}
	rows = list(csv.DictReader(open(sys.argv[1])))
	assert len(rows) == len(view)
	same = {"bs_bytes": "bs", "rwmixread_pct": "rwmixread"}
	seen = 0
	for row in rows:
	    v = view[int(row["seq"]), row["dir"]]
	    for name, text in row.items():
	        name = same.get(name, name)
	        if name not in v.keys():
	            continue
	        seen += 1
	        if v[name] is None or isinstance(v[name], str):
	            # The view sorts flags by name, the program by weight.
	            assert sorted(text.split()) == sorted((v[name] or "").split()), (name, text)
	        else:
	            assert math.isclose(float(text), v[name], rel_tol=1e-9), (name, text, v[name])
	assert seen > 300
	PY
}

@test "the help of export names every column" {
	"$TOOL" export --help >help
	"$TOOL" export 2 --db stored.db | head -1 | tr ',' '\n' >names
	[ "$(wc -l <names)" -gt 40 ]
	while read -r name; do
		grep -qw "$name" help
	done <names
}

@test "export --series prints the intervals of a point, which add up to its I/Os" {
	"$TOOL" export 2 --series 2 --db stored.db >s.csv
	head -1 s.csv
	[ "$(head -1 s.csv)" = "interval,start_s,length_s,read_ios,read_lat_mean_ms,write_ios,write_lat_mean_ms,read_lat_max_ms,write_lat_max_ms" ]
	[ "$(wc -l <s.csv)" -eq 51 ]
	[ "$(awk -F, 'NR > 1 { n += $4 + $6 } END { print n }' s.csv)" = 2000 ]
}

@test "export -o writes the file whole and nothing to standard output" {
	"$TOOL" export 2 --db stored.db -o "out file ä.csv" >out
	[ ! -s out ]
	diff -u "$GOLDEN/export.csv" "out file ä.csv"
	fails_with 1 "cannot" "$TOOL" export 2 --db stored.db -o none/x.csv
	mkfifo pipe
	fails_with 1 "is no ordinary file" "$TOOL" export 2 --db stored.db -o pipe
	[ -p pipe ]
	cp stored.db before.db
	fails_with 2 "is the database itself" "$TOOL" export 2 --db stored.db -o ./stored.db
	cmp stored.db before.db
}

@test "export refuses what it cannot do" {
	fails_with 1 "there is no run 9" "$TOOL" export 9 --db stored.db
	fails_with 1 "has no series" "$TOOL" export 1 --series 1 --db stored.db
	fails_with 1 "has no point 44" "$TOOL" export 2 --series 44 --db stored.db
	fails_with 2 "--series is written as CSV only" \
		"$TOOL" export 2 --series 2 --format json --db stored.db
	fails_with 2 "--format is csv, json or fio, not 'xml'" "$TOOL" export 2 --format xml --db stored.db
	fails_with 2 "export takes the number of one run" "$TOOL" export --db stored.db
}
