#!/usr/bin/env bats
# What programs and wikis take: JSON by its published schemas, CSV by a strict reader, and Markdown in which no name
# means anything.

# bats file_tags=fast
load ../lib/common

DATA=$BATS_TEST_DIRNAME/../data
SCHEMAS=$PROJECT_ROOT/schemas/json

# A name that would do something in HTML, Markdown, CSV, JSON and a shell.
HOSTILE='x|y <b>*bold*</b> _it_ `c` [l](http://e.vil) www.e.vil https://e.vil "q", '"'a'"' \| $x$ # &amp; $(touch pwned)'

setup_file() {
	scratch_up
	defer rm -rf "$SCRATCH"
	cd "$SCRATCH" || return 1
	export LUNSWEEP_DB=$SCRATCH/j.db
	store_runs >log 2>&1
}

# Runs 1 to 6: two groups of three; 7: the ULT study; 8 to 14: of a table of several arrays; then measured ones: repeats with
# anchors, an offered load, and two searches.
store_runs() {
	for run in a1 a2 a3 b1 b2 b3; do
		"$TOOL" import csv "$DATA/compare/$run.csv" --set span=1G --target-label "array ${run%?}"
	done
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --target-label "$HOSTILE" --format json >import.json
	"$TOOL" import csv "$DATA/seeds/iops-under-10ms.csv" --set bs=4k,random_pct=100,span=256m \
		--map 'system=target,nearest_pow2=iodepth,mb_s=mib_s,implied_qd=-,mib_s_from_iops=-' \
		--format json >import-many.json
	head -c 4M /dev/urandom >image
	measure run --iodepth 1,2,4 --repeats 2 --anchors always
	measure run --iodepth 4 --rate 50,200
	measure find --cap mean:10ms,p99:1us --max-depth 4 --format json >find.json
	measure find --cap mean:10ms --rate --max-rate 200 --format json >find-rate.json
	"$TOOL" list --format json >list.json
	NR=$(jq '.runs | length' list.json)
	echo "$NR" >nr
}

# Spoiled points and a cap that nothing meets are answers, too.
measure() {
	"$TOOL" "$1" --target image --runtime 100ms --ramp-time 0 --precision none "${@:2}" || [[ $? =~ ^[34]$ ]]
}

setup() {
	cd "$SCRATCH" || return 1
	NR=$(cat nr)
	VM=(--vm-iops 50 --vm-capacity 40G --vm-read 70%)
}

teardown() {
	cd /
	undo_all
}

# ---- JSON ----

# Every command that writes JSON.
documents() {
	local run

	"$TOOL" report 7 $((NR - 3)) $((NR - 2)) --cap mean:10ms,p99:5ms --format json >report.json
	"$TOOL" report 2 --db "$DATA/schema-1.db" --format json >report-stored.json
	"$TOOL" report $((NR - 1)) "$NR" --format json >report-find.json
	for point in 1 2 3 5; do
		"$TOOL" show 2 $point --db "$DATA/schema-1.db" --format json >point-$point.json
	done
	"$TOOL" show $((NR - 3)) 1 --format json >point-measured.json
	"$TOOL" report 7 --table span,iodepth --format json \
		--figures iops,mib_s,lat_mean,lat_p50,lat_p90,lat_p95,lat_p99,lat_p999,util >pivot.json
	for axis in rw bs iodepth rwmixread workers random_pct; do
		"$TOOL" report 7 --table $axis --format json >pivot-$axis.json
	done
	"$TOOL" size 7 "${VM[@]}" --lun-size 512G,1T,2T,4T --format json >size.json
	"$TOOL" size 7 --vm-profile "$DATA/vm-profile.yaml" --luns-sharing 3 --format json >size-none.json ||
		[ $? -eq 3 ]
	"$TOOL" compare 1,2,3 4,5,6 --format json >compare.json
	"$TOOL" compare 1 7 --format json >compare-lone.json || [ $? -eq 3 ]
	"$TOOL" compare --table 1 7 $((NR - 2)) --format json >table.json
	"$TOOL" devices --format json >devices.json
	"$TOOL" plan --format json --target-size 1G --cap mean:10ms >plan.json
	"$TOOL" plan --format json --target image --iodepth 1,2 --rate 50% --bs 512,4k --budget 1h >plan-target.json
	"$TOOL" export 2 --db "$DATA/schema-1.db" --format json >export.json
	"$TOOL" export "$NR" --format json >export-measured.json
	"$TOOL" check 2 --db "$DATA/schema-1.db" --require "$DATA/standard-fixture.yaml" --format json >check.json ||
		[ $? -eq 4 ]
	"$TOOL" status 2 --db "$DATA/schema-1.db" --format json >status.json
	live_status >status-live.json
	status_of_preparation >status-preparation.json
}

# Of one that is marked as running, of a target that is not there any more.
status_of_preparation() {
	truncate -s 1M prepared
	"$TOOL" prepare --target "$PWD/prepared" --write-to "$PWD/prepared" --yes >/dev/null 2>&1 || return
	rm prepared
	python3 -c 'import os, sqlite3
with sqlite3.connect(os.environ["LUNSWEEP_DB"]) as db:
    db.execute("UPDATE preparation SET state = ?", ("running",))'
	"$TOOL" status --format json
}

# Of a run that goes on, with a point in hand.
live_status() {
	local pid

	"$TOOL" run --target image --iodepth 3 --runtime 20s --ramp-time 0 --precision none --new >/dev/null 2>&1 3>&- &
	pid=$!
	defer stop_pid "$pid"
	wait_until 10 has_current
	"$TOOL" status --format json
	stop_pid "$pid"
}

has_current() {
	"$TOOL" status --format json 2>/dev/null | jq -e '.current.iops != null' >/dev/null
}

@test "every JSON document follows its published schema, and wrong ones are refused" {
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	documents
	python3 "$PROJECT_ROOT/tests/lib/json_schema.py" "$SCHEMAS" *.json
}

@test "the test of schemas sees a schema that is not the program's" {
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	rm -rf schemas
	cp -r "$SCHEMAS" schemas
	sed -i 's/"additionalProperties": false/"additionalProperties": true/' schemas/list.schema.json
	sed -i 's/"util_pct"/"busy_pct"/' schemas/pivot.schema.json
	"$TOOL" report 7 --table span --format json >pivot.json
	run ! python3 "$PROJECT_ROOT/tests/lib/json_schema.py" schemas list.json pivot.json
	[[ $output == *"list.json: a member too many at runs/0 is not refused"* ]]
	[[ $output == *"pivot.json: tables/0/cells/0: Additional properties are not allowed ('util_pct' was unexpected)"* ]]
	[[ $output == *"lunsweep-report: in no document: "* ]]
}

@test "schemas know all verdicts of the program" {
	python3 - "$SCHEMAS/point.schema.json" "$PROJECT_ROOT/src/model/verdict.c" <<-'PY'
	import json, re, sys
	schema = json.load(open(sys.argv[1]))
	program = re.findall(r'\[FLAG_[A-Z_]+\] = \{\s*"([a-z-]+)"', open(sys.argv[2]).read())
	assert program and sorted(schema["properties"]["verdicts"]["items"]["properties"]["flag"]["enum"]) == sorted(program)
	PY
}

# ---- CSV ----

@test "every CSV output has as many fields in each row as its header, and figures have units" {
	"$TOOL" list --format csv >list.csv
	"$TOOL" report 7 $((NR - 3)) $((NR - 2)) $((NR - 1)) --format csv >report.csv
	"$TOOL" report 7 --table span --format csv >pivot.csv
	"$TOOL" report 7 --table span,iodepth --format csv >pivot-two.csv
	"$TOOL" export $((NR - 3)) >export.csv
	"$TOOL" export $((NR - 3)) --series 1 >series.csv
	"$TOOL" compare 1,2,3 4,5,6 --format csv >compare.csv
	"$TOOL" compare --table 1 7 --format csv >table.csv
	python3 - *.csv <<-'PY'
	import csv, re, sys
	# Counts, ratios and names have no unit, and so has what the column "figure" or "stat" beside it names.
	plain = re.compile(r"""(record|run|seq|curve|rw|workers|iodepth|repeat|repeats|dir|status|flags|reason|ios|iops|state|origin
	    |target|target_label|target_identity|sweep|points|ok|failed|skipped|interrupted|spoiled|planned|valid|best_\w+|is_anchor
	    |arrivals|backlog|depth_mean|depth_max|rate|interval|\w+_ios|figure|cap_stat|cap_status|cap_verdict|cap_bound|a|b|a_runs|b_runs
	    |a_flags|b_flags|ratio\w*|method|t|df|p|p_adjusted|verdict|word|table|iodepth_\d+|knee_(class|bound|iops_bound|peak_bound|held|nstar|nstar_low|nstar_high
	    |queue_limit|\w+_depth)|cap_interp_depth|\w*_?iops(_min|_max)?)$""", re.X)
	unit = re.compile(r".*_(ms|s|pct|bytes|utc|mib_s)$|mib_s$")
	for name in sys.argv[1:]:
	    text = open(name, newline="").read()
	    assert "\r" not in text and text.endswith("\n"), name
	    rows = list(csv.reader(text.splitlines(True), strict=True))
	    assert len(rows) > 1 and {len(r) for r in rows} == {len(rows[0])}, name
	    assert len(set(rows[0])) == len(rows[0]), (name, "a column twice")
	    for column in rows[0]:
	        assert unit.match(column) or plain.match(column), (name, column)
	    for row in rows[1:]:
	        for column, value in zip(rows[0], row):
	            assert value.lower() not in ("nan", "inf", "-nan", "-inf"), (name, column)
	            if unit.match(column) and not column.endswith("_utc") and value:
	                float(value)
	PY
}

# ---- tables by axes ----

@test "a table by one axis and by two: the tables of the ULT study" {
	"$TOOL" report 7 --table iodepth >text
	# Tests 1 to 8: a table for each mode and span.
	[ "$(grep -c '^rand.* 4k span ' text)" -eq 8 ]
	grep -qE '^ +32 +3905 +8\.180 +99\.81$' text
	# Tests 9 and 10: depth 16, against span.
	"$TOOL" report 7 --table span --where iodepth=16 --format csv >csv
	[ "$(grep -c '^7,randwrite 4k iodepth 16,' csv)" -eq 4 ]
	grep -qx '7,randread 4k iodepth 16,1000000000000,2586,6.17,99.79,1' csv
	"$TOOL" report 7 --table span,iodepth --where rw=randread --figures iops --format markdown >md
	grep -qx '| 1000GB | 226 | 443 | 858 | 1534 | 2586 | 3905 | 3948 | 4400 | 4473 |' md
	"$TOOL" report 7 --table span,iodepth >text
	[ "$(awk 'length > 80' text | wc -l)" -eq 0 ]
	"$TOOL" report 7 --table iodepth,rw --where span=2000GB --figures lat_mean --format csv >csv
	grep -qx 'run,table,iodepth,figure,rw_randread,rw_randwrite' csv
	grep -qx '7,4k span 2000GB,16,lat_mean_ms,6.73,9.60896' csv
}

@test "points that decide nothing are marked in tables, and missing ones are told" {
	cp "$DATA/schema-1.db" stored.db
	"$TOOL" report 2 --db stored.db --table iodepth >text
	grep -qE '^ +4 +[0-9.]+! ' text
	grep -qE '^ +8 +- +- +-' text
	grep -q '^  iodepth 4: ! spoiled (stall' text
	grep -q '^  iodepth 8: failed' text
	[ "$("$TOOL" report 2 --db stored.db --table iodepth --format json |
		jq -c '.tables[0].cells | map(.valid)')" = '[true,false,false,false,false]' ]
}

@test "what is no table is refused by name" {
	while IFS='|' read -r args words; do
		# shellcheck disable=SC2086 # words of the command line
		run -2 "$TOOL" report 7 $args
		[[ $output == *"$words"* ]]
	done <<-'END'
	--table=depth|'depth' is no axis: use rw, bs
	--table=span,span|'span' cannot be both
	--table=span,bs,rw|no place for 'rw'
	--table=rate|offered loads have a table
	--table=span --figures=speed|'speed' is no figure: use iops
	--table=span --where=iodepth|'iodepth' is no condition
	--table=span --where=iodepth=17|no point has iodepth=17
	--figures=iops|are about --table
	END
}

# ---- Markdown ----

# as_html FILE: as GitHub shows it, which takes links, mentions of web addresses, tables and HTML.
as_html() {
	cmark-gfm --unsafe -e table -e strikethrough -e autolink "$1"
}

@test "Markdown has the tables of the text, and what a hostile name holds does nothing" {
	need cmark-gfm
	"$TOOL" report 7 --format markdown >report.md
	"$TOOL" size 7 "${VM[@]}" --format markdown >size.md
	"$TOOL" compare 1 7 --format markdown >compare.md || [ $? -eq 3 ]
	"$TOOL" compare --table 7 1 --format markdown >table.md
	"$TOOL" show 7 --format markdown >run.md
	"$TOOL" show 7 1 --format markdown >point.md
	"$TOOL" show 2 1 --db "$DATA/schema-1.db" --format markdown >point-stored.md
	"$TOOL" report 7 --table span,bs --format markdown >pivot.md
	"$TOOL" check 2 --db "$DATA/schema-1.db" --require "$DATA/standard-fixture.yaml" --format markdown >check.md ||
		[ $? -eq 4 ]
	for file in *.md; do
		as_html "$file" >html
		[ "$file" = compare.md ] || grep -q '<table>' html
		# Tags of headings, paragraphs, lists and tables, and of nothing else.
		grep -oE '<[a-zA-Z!?][a-z0-9]*' html | sort -u >tags
		run ! grep -vxE '<(h[1-3]|p|ul|li|table|thead|tbody|tr|th|td|pre|code)' tags
	done
	# All rows of a table have the same number of cells.
	awk '{ row = $0; gsub(/\\./, "", row); n = /^\|/ ? gsub(/\|/, "", row) : 0
		if (n && last && n != last) { print FILENAME ": " $0; bad = 1 }
		last = n } END { exit bad }' ./*.md
	# The name is there to the letter.
	as_html report.md >html
	python3 -c 'import html, sys; assert sys.argv[1] in html.unescape(open("html").read())' "$HOSTILE"
	[ ! -e pwned ]
}

@test "report.md lies beside the pictures that it shows" {
	need gnuplot
	"$TOOL" report 7 -o out >/dev/null 2>&1
	diff <("$TOOL" report 7 --format markdown) <(sed '/^## Charts$/,$d' out/report.md | sed '$d')
	[ "$(grep -c '^!\[' out/report.md)" -ge 4 ]
	grep -oP '(?<!\\)\]\(\K[^)]*' out/report.md >links
	[ "$(wc -l <links)" -ge 16 ]
	while IFS= read -r link; do
		[ -s "out/$link" ]
	done <links
	env PATH=/nonexistent "$TOOL" report 7 -o none >/dev/null 2>&1 || [ $? -eq 1 ]
	[ -s none/report.md ]
	run ! grep '^!\[' none/report.md
}

# ---- the ULT study by one command ----

# As somebody who is not root, where the program can be reached by others.
as_nobody() {
	local -a nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

	if [ "$(id -u)" -eq 0 ] && "${nobody[@]}" test -r "$PROJECT_ROOT/scripts/demo" -a -w "$SCRATCH/demo"; then
		"${nobody[@]}" "$@"
	else
		"$@"
	fi
}

@test "scripts/demo --ult: eight tables, tests 9 and 10, charts, and LUNs of 1 TB, without root and without a disk" {
	need gnuplot
	mkdir demo
	chmod 777 demo
	chmod 711 .
	as_nobody env TOOL="$TOOL" "$PROJECT_ROOT/scripts/demo" --ult --dir "$SCRATCH/demo" >text
	[ "$(sed -n '/^== Tests 1 to 8/,/^== Tests 9/p' text | grep -c '^rand[a-z]* 4k span ')" -eq 8 ]
	[ "$(sed -n '/^== Tests 9 and 10/,/^== Answers/p' text | grep -c '^rand[a-z]* 4k iodepth 16$')" -eq 2 ]
	grep -qE '^ +1000GB +1874 +8\.523 +99\.84$' text
	tr -s ' \n' ' ' <text >flat
	grep -qF "LUNs of 1024G, each for 20 VMs. Capacity decides" flat
	grep -qF "4 carry 9 VMs each, 36 in all and not 80." flat
	for file in report.txt report.md report.json tests-1-8.md tests-9-10.md size.txt size.md size.json \
		modes-4k.svg iops-span-4k-d16.svg iops-depth-randread-4k.png; do
		[ -s "demo/ult/$file" ]
	done
	[ "$(jq -c '.recommended | [.lun_bytes, .nr_vms, .bound]' demo/ult/size.json)" = '[1099511627776,20,"capacity"]' ]
	# What the document of the study shows and says is among it.
	for picture in "$PROJECT_ROOT"/sweeps/ult-study/*.png; do
		[ -s "demo/ult/${picture##*/}" ]
		[ "$(stat -c %s "$picture")" -lt 200000 ]
		grep -qF "](${picture##*/})" "$PROJECT_ROOT/sweeps/ult-study/README.md"
	done
	for figure in "8.8 %" "10.7 %" "2283" " 47 "; do
		grep -qF "$figure" demo/ult/size.txt
	done
	# Every figure of the study is in its tables.
	cut -d, -f7 "$DATA/ult-lun-sizing.csv" | sed 1d | sort -n >want
	sed -n 's/^| *[0-9]* | *\([0-9]*\) |.*/\1/p' demo/ult/tests-1-8.md | sort -n >got
	diff want got
}

@test "scripts/demo --ult removes nothing that it did not make" {
	mkdir -p mine/ult
	echo precious >mine/ult/file
	run -1 env TOOL="$TOOL" "$PROJECT_ROOT/scripts/demo" --ult --dir "$SCRATCH/mine"
	[[ $output == *"mine/ult' or "*"no demo made it"* ]]
	[ "$(cat mine/ult/file)" = precious ]
	rm -r mine/ult
	echo precious >mine/ult.db
	run -1 env TOOL="$TOOL" "$PROJECT_ROOT/scripts/demo" --ult --dir "$SCRATCH/mine"
	[ "$(cat mine/ult.db)" = precious ]
}

@test "scripts/demo --ult without gnuplot has all but the pictures, and says what is missing" {
	mkdir -p bin none
	for command in bash env sed grep sort find cat tee rm mkdir dirname wc; do
		ln -sf "$(command -v $command)" bin/
	done
	run env PATH="$SCRATCH/bin" TOOL="$TOOL" "$PROJECT_ROOT/scripts/demo" --ult --dir "$SCRATCH/none"
	[ "$status" -eq 1 ]
	[[ $output == *"install the package gnuplot-nox"* ]]
	[[ $output == *"LUNs of 1024G, each for 20 VMs"* ]]
	[ -s none/ult/report.md ]
	run ! ls none/ult/*.svg
}
