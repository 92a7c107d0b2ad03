#!/usr/bin/env bats
# lunsweep plan: what a sweep would do. A target is looked at, never written.

# bats file_tags=fast
bats_require_minimum_version 1.5.0

setup() {
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	DIR=$(mktemp -d)
	cd "$DIR" || return 1
}

teardown() {
	rm -rf "$DIR"
}

# The value of a jq expression over the plan of the remaining arguments.
plan_jq() {
	local expression=$1
	shift
	"$TOOL" plan --format json "$@" 2>/dev/null | jq -r "$expression"
}

@test "every shipped sweep is planned, has a question and begins with a comment" {
	for f in "$ROOT"/sweeps/*.yaml; do
		echo "$f"
		[ "$(head -c 2 "$f")" = "# " ]
		[ "$(plan_jq .name "$f" --target-size 4000G)" = "$(basename "$f" .yaml)" ]
		[ "$(plan_jq '.question | endswith("?")' "$f" --target-size 4000G)" = true ]
		[ "$(plan_jq .totals.skipped "$f" --target-size 4000G)" = 0 ]
	done
}

@test "the sweeps that the design names are there" {
	for name in quick read-only-sweep ult-lun-sizing latency-cap-10ms cloud-disk-acceptance \
		diskspd-64k-60-40 iometer-patterns response-curve overnight; do
		[ -f "$ROOT/sweeps/$name.yaml" ]
	done
}

@test "the quick sweep has at most 12 points of 4 s, about a minute, and writes nothing" {
	q() { plan_jq "$1" "$ROOT/sweeps/quick.yaml" --target-size 1G; }
	[ "$(q '.totals.points <= 12')" = true ]
	[ "$(q '.measure.ramp_s + .measure.window_max_s')" = 4 ]
	[ "$(q '.totals.time_max_s | . > 40 and . < 70')" = true ]
	[ "$(q .totals.write_region_bytes)" = 0 ]
}

@test "the read-only sweep writes nothing and the overnight sweep fits a night" {
	[ "$(plan_jq .totals.write_max_bytes "$ROOT/sweeps/read-only-sweep.yaml" --target-size 1T)" = 0 ]
	[ "$(plan_jq '.totals.time_max_s < 36000' "$ROOT/sweeps/overnight.yaml" --target-size 1T)" = true ]
}

@test "DiskSpd's 8 threads of 32 are a depth of 256 over 8 workers" {
	[ "$(plan_jq '.points[0] | "\(.iodepth) \(.workers) \(.rwmixread_pct) \(.bs_bytes)"' \
		"$ROOT/sweeps/diskspd-64k-60-40.yaml" --target-size 1T)" = "256 8 60 65536" ]
}

@test "the three Iometer patterns are no product" {
	run plan_jq '[.points[] | "\(.rw) \(.bs_bytes) \(.rwmixread_pct)"] | unique | .[]' \
		"$ROOT/sweeps/iometer-patterns.yaml" --target-size 1T
	[ "$output" = "$(printf '%s\n' 'randrw 4096 50' 'read 32768 100' 'write 32768 0')" ]
}

@test "the text of a plan is the golden one" {
	cat >sweep.yaml <<-'YAML'
		name: golden
		question: What does a plan look like?
		axes:
		  rw: [randread, randrw]
		  bs: [512, 64k]
		  iodepth: [1, 64]
		  span: [12.5%, 1G]
		measure: {runtime: 5s, ramp_time: 1s}
		seed: 42
		cap: {mean: 10ms, p99.9: 50ms}
	YAML
	"$TOOL" plan sweep.yaml --target-size 10G --logical-block 4k >out.txt
	diff -u "$ROOT/tests/golden/plan.txt" out.txt
}

@test "a plan says what filling the target takes: bytes exactly, a time only for a stated speed (O-27)" {
	truncate -s 64M file
	run -0 "$TOOL" plan --target file --span 25%,50% --rw randread
	[[ $output == *"prepare    32.0 MiB of what is read was never written; filling all of it takes"$'\n'* ]]
	[[ $output == *$'\n'"           32.0 MiB of writes"$'\n'* ]]
	[[ $output == *$'\n'"           lunsweep prepare --target file --write-to $PWD/file --span 33554432"$'\n'* ]]
	[ "$(plan_jq '.totals | "\(.read_unwritten_bytes) \(.read_region_bytes) \(.prepare_s)"' \
		--target file --span 25%,50% --rw randread)" = "33554432 33554432 null" ]
	run -0 "$TOOL" plan --target file --offset 50% --span 25% --assume-fill 4M
	[[ $output == *" takes"$'\n'"           16.0 MiB of writes, 4.0 s at 4.00 MiB/s (assumed)"$'\n'* ]]
	[[ $output == *" --span 16777216 --offset 33554432"* ]]
	head -c 64M /dev/urandom >file
	run -0 "$TOOL" plan --target file --assume-fill 4M
	[[ $output == *"prepare    nothing: whatever is read was written"* ]]
	# Of a size alone nothing is known, and writes need nothing.
	run -0 "$TOOL" plan --target-size 1T
	[[ $output == *"prepare    if it was never written, filling what is read takes 1.00 TiB of"$'\n'"           writes"$'\n'"buffers"* ]]
	[ "$(plan_jq '.totals.read_unwritten_bytes' --target-size 1T)" = null ]
	run -0 "$TOOL" plan --target-size 1T --rw write
	[[ $output != *prepare* ]]
	run -2 "$TOOL" plan --target-size 1T --assume-fill 0
}

@test "without a file the options define the sweep" {
	run plan_jq '[.points[] | .iodepth] | join(" ")' --target-size 1G --iodepth 1..256*2
	[ "$output" = "1 2 4 8 16 32 64 128 256" ]
}

@test "an option replaces what the file says" {
	run plan_jq '[.points[] | .bs_bytes] | unique | join(" ")' "$ROOT/sweeps/iometer-patterns.yaml" \
		--target-size 1G --bs 8k
	[ "$output" = 8192 ]
}

@test "a list with duplicates in odd order gives each point once (O-39)" {
	run plan_jq '[.points[] | "\(.iodepth)/\(.bs_bytes)"] | join(" ")' --target-size 64m \
		--iodepth 16,1,4,4,64 --bs 64k,4k,65536
	[ "$output" = "1/4096 1/65536 4/4096 4/65536 16/4096 16/65536 64/4096 64/65536" ]
}

@test "bad lists end with status 2 and name the bad item (O-39)" {
	for list in "" 0 "4,," 1- abc -2 1,2,x; do
		run "$TOOL" plan --target-size 64m --iodepth "$list"
		echo "$list: $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == "lunsweep: --iodepth"* ]]
	done
	run "$TOOL" plan --target-size 64m --iodepth 1,2,x
	[ "$output" = "lunsweep: --iodepth '1,2,x': 'x' is not a whole number" ]
}

@test "a mistake in a file is told with file, line and column" {
	printf 'axes:\n  bs: [4k, 8kB]\n' >bad.yaml
	run "$TOOL" plan bad.yaml --target-size 64m
	[ "$status" -eq 2 ]
	[[ "$output" == "lunsweep: bad.yaml:2:12: '8kB' is not a size"* ]]
}

@test "a span beyond the target is refused with the real size (O-05)" {
	printf 'axes:\n  span: 128m\n' >bad.yaml
	run "$TOOL" plan bad.yaml --target-size 64m
	[ "$status" -eq 2 ]
	[ "$output" = "lunsweep: bad.yaml:2:9: span 128m is larger than the target, 67108864 bytes" ]
	run "$TOOL" plan --span 128m --target-size 64m
	[ "$status" -eq 2 ]
	[ "$output" = "lunsweep: span 128m is larger than the target, 67108864 bytes" ]
}

@test "what a 4k target cannot do is listed as skipped with the reason (O-06)" {
	run plan_jq '.points[] | select(.skip_reason) | .bs_bytes' --target-size 32m \
		--logical-block 4k --bs 512,1k,2k,4k,6k,8k
	[ "$output" = "$(printf '%s\n' 512 1024 2048 6144)" ]
	run "$TOOL" plan --target-size 32m --logical-block 4k --bs 512
	[ "$status" -eq 2 ]
	[[ "$output" == *"no point of the sweep can be measured"* ]]
}

@test "per cents are rounded down to whole blocks (O-08)" {
	run plan_jq '[.points[] | .span_bytes] | sort | join(" ")' --target-size 10000384 --rw write \
		--span 1%,10%,33%,100%
	[ "$output" = "98304 999424 3297280 9998336" ]
	for span in 0% 101%; do
		run "$TOOL" plan --target-size 10000384 --span "$span"
		[ "$status" -eq 2 ]
		[[ "$output" == *"'$span'"* ]]
	done
}

@test "per cents without a target's size are refused" {
	run "$TOOL" plan --span 10%
	[ "$status" -eq 2 ]
	[[ "$output" == *"whose size is not known"* ]]
	run "$TOOL" plan --span 10G
	[ "$status" -eq 0 ]
}

@test "the time of 1200 points of 60 s is 20:00:00 and the ramps (O-44)" {
	run "$TOOL" plan --target-size 1T --rw randrw --bs 4k..64k*2 --iodepth 1..128*2 \
		--rwmixread 0..100+25 --span 10%,20%,30%,40%,50%,100% --runtime 60s --ramp-time 1s \
		--anchors never
	[ "$status" -eq 0 ]
	[[ "$output" == *"1200 to measure, 0 skipped"* ]]
	[[ "$output" == *": ramps 0:20:00, windows 20:00:00,"* ]]
}

@test "bytes are stated for each 1000 IOPS, or for the speed that is assumed" {
	run "$TOOL" plan --target-size 1G --bs 1m --runtime 9s --ramp-time 1s
	[[ "$output" == *"reads      9.77 GiB for each 1000 IOPS"* ]]
	[[ "$output" == *"writes     nothing"* ]]
	run plan_jq '.totals | "\(.read_max_bytes) \(.iops_is_assumed)"' --target-size 1G --bs 1m \
		--runtime 9s --ramp-time 1s --assume-iops 50
	[ "$output" = "524288000 true" ]
}

@test "estimated bytes are whole numbers in the JSON, small and large alike" {
	"$TOOL" plan --target-size 1T --rw randrw --rwmixread 30 --bs 1m --ramp-time 1s \
		--runtime 1333333us --assume-iops 123457 --format json >out.json 2>/dev/null
	run grep -oE '"(read|write)_(min|max)_bytes":[^,}]*' out.json
	[ "$output" = "$(printf '%s\n' '"read_min_bytes":90617820117' '"read_max_bytes":90617820117' \
		'"write_min_bytes":211441580273' '"write_max_bytes":211441580273')" ]
	"$TOOL" plan --target-size 1T --rw write --bs 16m --runtime 24h --assume-iops 1000000000 \
		--format json >out.json 2>/dev/null
	python3 -c 'import json
t = json.load(open("out.json"))["totals"]
assert t["write_max_bytes"] == t["write_min_bytes"] > 10**21, t
assert all(v is None or type(v) is int for k, v in t.items() if k.endswith("_bytes")), t'
}

@test "warnings go to stderr and into the JSON, and stdout parses (O-46)" {
	"$TOOL" plan --target-size 1G --rw randread --rwmixread 50 --format json >out.json 2>err.txt
	[ "$(cat err.txt)" = "lunsweep: warning: rwmixread has no effect: no rw mode of the sweep is rw or randrw" ]
	[ "$(jq -r '.warnings[0]' out.json)" = "rwmixread has no effect: no rw mode of the sweep is rw or randrw" ]
}

@test "a seed in the sweep fixes the order, and without one the listing says so" {
	a=$("$TOOL" plan --target-size 1G --rw randwrite --iodepth 1..64*2 --seed 3)
	b=$("$TOOL" plan --target-size 1G --rw randwrite --iodepth 1..64*2 --seed 3)
	c=$("$TOOL" plan --target-size 1G --rw randwrite --iodepth 1..64*2 --seed 4)
	[ "$a" = "$b" ]
	[ "$a" != "$c" ]
	run "$TOOL" plan --target-size 1G --rw randwrite --iodepth 1..64*2
	[[ "$output" == *"the run draws a seed"* ]]
}

@test "nonsense on the command line is a usage error" {
	for option in "--format xml" "--target-size 0" "--target-size 4kB" "--assume-iops 0" \
		"--logical-block 1000" "--seed -1" "--order up" "--no-such-option"; do
		# shellcheck disable=SC2086 # two words on purpose
		run "$TOOL" plan --span 1G $option
		echo "$option: $output"
		[ "$status" -eq 2 ]
		[[ "$output" == *"${option%% *}"* ]]
	done
	run "$TOOL" plan a.yaml b.yaml
	[ "$status" -eq 2 ]
	run "$TOOL" plan no-such-file.yaml
	[ "$status" -eq 2 ]
	[[ "$output" == *"no-such-file.yaml"* ]]
}

@test "a full standard output is an error" {
	run sh -c '"$1" plan --span 1G >/dev/full' sh "$TOOL"
	[ "$status" -eq 1 ]
}

@test "the help names every key of a sweep file" {
	run "$TOOL" plan --help
	[ "$status" -eq 0 ]
	for key in rw bs iodepth span rwmixread workers random-pct offset ramp-time precision min-time \
		max-time runtime drain-timeout order mix-order seed repeats cap accept engine spin compress anchors arrivals rate; do
		[[ "$output" == *"--$key "* ]]
	done
}

@test "a target is looked at for its size and is not written" {
	dd if=/dev/urandom of="$DIR/t.img" bs=1M count=8 status=none
	before=$(sha256sum <"$DIR/t.img")
	run --separate-stderr "$TOOL" plan --target "$DIR/t.img" --rw randwrite --span 50% --format json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.points[0].span_bytes' <<<"$output")" -eq 4194304 ]
	[ "$(sha256sum <"$DIR/t.img")" = "$before" ]
}

@test "a target that is not there is named" {
	run --separate-stderr "$TOOL" plan --target "$DIR/nothing" --rw randread
	[ "$status" -eq 1 ]
	[[ $stderr == *"$DIR/nothing"* ]]
	[ ! -e "$DIR/nothing" ]
}

@test "a target and a made-up size exclude each other" {
	run --separate-stderr "$TOOL" plan --target /dev/null --target-size 4G
	[ "$status" -eq 2 ]
}
