#!/usr/bin/env bats
# Acceptance of stored runs against a standard, without measuring: check-array.bats does that.
# bats file_tags=fast
load store_helper

STANDARD=$BATS_TEST_DIRNAME/../data/standard-cloud.yaml
SHIPPED=$BATS_TEST_DIRNAME/../../sweeps/standards

# import_cloud DISK...: the disks of a published acceptance test, one run each.
import_cloud() {
	local disk

	for disk in "$@"; do
		"$TOOL" import csv "$DATA/cloud-$disk.csv" --target-label "$disk disk" >/dev/null
	done
}

# check STATUS OPTION...: of the newest run by the cloud standard, into out; nothing on stderr.
check() {
	local want=$1 got=0

	shift
	"$TOOL" check --require "$STANDARD" "$@" >out 2>err || got=$?
	cat out err
	[ "$got" -eq "$want" ]
	[ ! -s err ]
}

# The value of a Python expression on the JSON that check prints; d is the document.
check_json() {
	"$TOOL" check --format json --require "$STANDARD" "${@:2}" >json || [ $? -ge 3 ]
	python3 -c '
import json, sys
def refuse(name):
    raise ValueError(name)
d = json.load(open("json"), parse_constant=refuse)
c = d["runs"][0]["classes"][0]
r = {j["requirement"]: j for j in c["requirements"]}
print(eval(sys.argv[1]))' "$1"
}

# ---- what is judged ----

@test "total IOPS are the sum, total latency is weighted: the three disks of the published test" {
	import_cloud archive super standard
	[ "$(sql "SELECT run, iops, round(lat_mean_ms, 2) FROM v_point WHERE dir = 'total' ORDER BY run" |
		paste -sd ';')" = "1 2885.0 22.17;2 10078.0 6.35;3 1222.0 52.29" ]
	[ "$(sql "SELECT dir, iops, round(lat_mean_ms, 2) FROM v_point WHERE run = 2 AND dir <> 'total'
		ORDER BY dir" | paste -sd ';')" = "read 7052.0 6.44;write 3026.0 6.14" ]
	# The same by the command, whose table has the figures for people.
	for run in "1 2885 22.17" "2 10078 6.35" "3 1222 52.29"; do
		read -r id iops lat <<<"$run"
		"$TOOL" check "$id" --require "$STANDARD" --class half >out || [ $? -eq 4 ]
		grep -qE "^ +iops +>= 1000 +$iops +no interval" out
		grep -qE "^ +lat mean +<= 50 ms +$lat ms +no interval" out
	done
}

@test "a total that is the mean of reads and writes is warned of and not taken" {
	cat >t.csv <<-'END'
	rw,rwmixread,bs,iodepth,span,read_iops,read_lat_ms,write_iops,write_lat_ms,iops,lat_ms
	randrw,70,8k,64,4G,2017,17.97538,868,31.9177,1442,24.95
	END
	"$TOOL" import csv t.csv 2>err
	grep -q "line 2: reads and writes are 2885 IOPS together, but the total says 1442; the sum is taken" err
	grep -q "weighted by IOPS, is 22.1702 ms, but the total says 24.95 ms; the weighted one is taken" err
	[ "$(wc -l <err)" -eq 2 ]
	[ "$(sql "SELECT iops, round(lat_mean_ms, 2), mib_s FROM v_point WHERE dir = 'total'")" = \
		"2885.0 22.17 22.5390625" ]
}

@test "a printed total that agrees within rounding is silent" {
	cat >t.csv <<-'END'
	rw,rwmixread,bs,iodepth,span,read_iops,read_lat_ms,write_iops,write_lat_ms,iops,lat_ms
	randrw,70,8k,64,4G,2017,17.97538,868,31.9177,2890,22.2
	END
	"$TOOL" import csv t.csv 2>err
	[ ! -s err ]
}

@test "columns of a direction that contradict the mode or the total are refused" {
	printf 'rw,bs,iodepth,read_iops,iops\nrandread,8k,64,10,11\n' >t.csv
	fails_with 1 "line 2: a randread has 10 IOPS of reads, but 11 in total" "$TOOL" import csv t.csv
	printf 'rw,bs,iodepth,write_iops,iops\nrandread,8k,64,10,10\n' >t.csv
	fails_with 1 "line 2: a randread has figures of writes" "$TOOL" import csv t.csv
	printf 'rw,bs,iodepth,dir,read_iops\nrandread,8k,64,read,10\n' >t.csv
	fails_with 1 "column of directions" "$TOOL" import csv t.csv
}

@test "reads without writes make no total" {
	printf 'rw,rwmixread,bs,iodepth,read_iops\nrandrw,70,8k,64,10\n' >t.csv
	fails_with 1 "line 2: neither iops nor mib_s is known" "$TOOL" import csv t.csv
}

# ---- verdicts and exit status ----

@test "0: every requirement of the class is met" {
	import_cloud super
	check 0 --class super
	diff -u "$GOLDEN/check-cloud.txt" out
}

@test "4: some are not met, whatever else passes or is undecided" {
	import_cloud archive
	check 4 --class super
	grep -qxF "  Class super is not met: of 5 requirements 5 fail." out
	check 4
	grep -qxF "  Class half is met: of 2 requirements 2 pass." out
	grep -qE '^ +lat p99 .* undecided$' out
}

@test "neither is the mean of reads and writes their total, nor its latency without weights" {
	import_cloud standard
	check 4 --class half
	grep -qE '^ +iops +>= 1000 +1222 .* pass$' out
	grep -qE '^ +lat mean +<= 50 ms +52.29 ms .* fail$' out
}

@test "3: none failed, but one is undecided" {
	import_cloud archive
	check 3 --class percentile
	grep -qE '^ +iops .* pass$' out
	grep -qF "lat p99: undecided, since this figure of the point is not known." out
	grep -qxF "  Class percentile is undecided: of 2 requirements 1 passes, 1 is undecided." out
}

@test "a figure that misses its limit by little does not look like it" {
	printf 'rw,bs,iodepth,span,iops,lat_ms\nrandread,8k,64,4G,9999.8,10.0004\n' >t.csv
	"$TOOL" import csv t.csv >/dev/null 2>&1
	printf 'classes: {near: {iops: 10000, lat: {mean: 10ms}}}\n' >s.yaml
	run "$TOOL" check --require s.yaml
	[ "$status" -eq 4 ]
	[[ $output == *" 9999.8 "*" fail"*" 10.0004 ms "*" fail"* ]]
}

@test "without a run the newest is checked, several runs each, and the worst decides" {
	import_cloud archive super
	check 0 --class super
	grep -q '^Run 2: cloud-super on super disk$' out
	check 4 1 2 --class super
	[ "$(grep -c '^Run ' out)" -eq 2 ]
	check 4 2 1 --class super
	check 0 1 --class archive
}

@test "a stored run with stalled, failed, skipped and planned points: golden text and JSON" {
	local got=0

	cp stored.db "$LUNSWEEP_DB"
	"$TOOL" check 2 --require "$DATA/standard-fixture.yaml" >out 2>err || got=$?
	[ "$got" -eq 4 ]
	diff -u "$GOLDEN/check-fixture.txt" out
	"$TOOL" check 2 --require "$DATA/standard-fixture.yaml" --format json >json || [ $? -eq 4 ]
	sed "s|$DATA|DATA|" json >masked
	diff -u "$GOLDEN/check-fixture.json" masked
	python3 -m json.tool json >/dev/null
}

@test "points that all failed are no success (O-38)" {
	import_cloud super
	python3 - "$LUNSWEEP_DB" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.executescript("""DELETE FROM point_dir; UPDATE point SET status = 'failed',
	    reason = 'Input/output error', iops = NULL, ios = NULL""")
	END
	check 3 --class super
	grep -qF "status of the point is failed: Input/output error." out
}

@test "a spoiled point decides only when its flag is accepted" {
	import_cloud super
	python3 - "$LUNSWEEP_DB" <<-'END'
	import sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	db.execute("INSERT INTO point_flag (point_id, flag) SELECT id, 'foreign-load' FROM point")
	db.commit()
	END
	check 3 --class super
	grep -qF "point is spoiled: foreign-load (" out
	check 0 --class super --accept foreign-load
	fails_with 2 "there is no flag 'foreign' to accept" \
		"$TOOL" check --require "$STANDARD" --accept foreign
}

@test "JSON says the same as the text" {
	import_cloud archive
	[ "$(check_json 'c["class"], c["verdict"]' --class archive)" = "('archive', 'pass')" ]
	[ "$(check_json 'r["iops"]["value"], r["iops"]["limit"], round(r["iops"]["margin_pct"], 3)' \
		--class archive)" = "(2885, 2800, 3.036)" ]
	[ "$(check_json 'round(r["lat mean"]["value"], 2), r["lat mean"]["unit"], r["lat mean"]["low"]' \
		--class archive)" = "(22.17, 'ms', None)" ]
	[ "$(check_json 'r["lat p99"]["value"], r["lat p99"]["verdict"], r["lat p99"]["point"]["seq"]' \
		--class percentile)" = "(None, 'undecided', 1)" ]
	[ "$(check_json 'len(d["runs"][0]["classes"])')" = 4 ]
}

@test "every line of text fits 80 columns" {
	import_cloud archive super standard
	cp stored.db other.db
	"$TOOL" check 1 2 3 --require "$STANDARD" >out || [ $? -ge 3 ]
	"$TOOL" check 2 --db other.db --require "$DATA/standard-fixture.yaml" >>out || [ $? -ge 3 ]
	"$TOOL" check 1 2 3 --require "$SHIPPED/cloud-disk.yaml" >>out || [ $? -ge 3 ]
	# Where the figures leave no room for it, the margin goes.
	echo 'classes: {a: {lat: {mean: 22.1702ms, max: 1s}, guaranteed_iops: 10}}' >wide.yaml
	"$TOOL" check 1 --require wide.yaml >>out || [ $? -ge 3 ]
	[ "$(python3 -c 'print(max(len(l.rstrip("\n")) for l in open("out", encoding="utf-8")))')" -le 80 ]
}

@test "a margin that rounds to nothing has no sign" {
	import_cloud archive
	echo 'classes: {a: {iops: 2886}}' >close.yaml
	run -4 "$TOOL" check 1 --require close.yaml
	grep -qE ' 0\.0 % +fail' <<<"$output"
}

# ---- mistakes ----

@test "2: a mistake in the standard is told with its place, before the database is opened" {
	printf 'classes:\n  gold:\n    iops: 12x\n' >s.yaml
	fails_with 2 "s.yaml:3:11: iops: '12x' is not a whole number" "$TOOL" check --require s.yaml
	fails_with 2 "cannot open 'none.yaml'" "$TOOL" check --require none.yaml
	fails_with 2 "s.yaml" "$TOOL" check --require s.yaml --db none.db
}

@test "2: what the command line lacks or has too much of" {
	import_cloud super
	fails_with 2 "check needs --require FILE" "$TOOL" check
	fails_with 2 "--class: there is no class 'gold' in this standard; it has super, archive, half, percentile" \
		"$TOOL" check --require "$STANDARD" --class gold
	fails_with 2 "--format is text, markdown or json, not 'csv'" \
		"$TOOL" check --require "$STANDARD" --format csv
	fails_with 2 "'x' is not the number of a run" "$TOOL" check x --require "$STANDARD"
}

@test "1: no database, or no such run" {
	fails_with 1 "there is no database" "$TOOL" check --require "$STANDARD"
	import_cloud super
	fails_with 1 "no run 7" "$TOOL" check 7 --require "$STANDARD"
}

@test "each shipped standard is one, and asks about points that its sweep measures" {
	local nr=0 file

	import_cloud archive
	for file in "$SHIPPED"/*.yaml; do
		"$TOOL" check --require "$file" >out || [ $? -ge 3 ]
		! grep -q '^  Not measured' out
		nr=$((nr + 1))
	done
	[ $nr -ge 1 ]
	# The imported table is at the point of the sweep that the standard belongs to.
	"$TOOL" plan "$BATS_TEST_DIRNAME/../../sweeps/cloud-disk-acceptance.yaml" --target-size 1T \
		--format json >plan.json
	[ "$(python3 -c '
import json
p = json.load(open("plan.json"))["points"]
print({(x["rw"], x["rwmixread_pct"], x["bs_bytes"], x["iodepth"]) for x in p})')" = \
		"{('randrw', 70, 8192, 64)}" ]
}
