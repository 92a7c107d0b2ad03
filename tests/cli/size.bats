#!/usr/bin/env bats
# The LUN size: from a published study, from runs that were taken apart, and what allows no answer.
# bats file_tags=fast
load store_helper
bats_require_minimum_version 1.5.0

VM=(--vm-iops 50 --vm-capacity 40G --vm-read 70%)
# The study's LUNs are larger than the spans in them.
LUNS=(--lun-size '512G,1T,2T,4T')

import_ult() {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" --name ult-lun-sizing \
		--target-label 'ULT array' >/dev/null
}

# import_table NAME [OPTION...]: the table on standard input as a run of one array.
import_table() {
	cat >"$1.csv"
	"$TOOL" import csv "$1.csv" --target-label array "${@:2}" >/dev/null
}

# change SQL: as if the database had been filled so.
change() {
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])
db.commit()' "$LUNSWEEP_DB" "$1"
}

# size_json JQ [OPTION...]: one value of the answer.
size_json() {
	"$TOOL" size "${VM[@]}" --format json "${@:2}" | jq -c "$1"
}

@test "the ULT study gives LUNs of 1024G for 20 VMs, and four of them carry 36" {
	import_ult
	matches_golden size-ult.txt "$TOOL" size 1 "${VM[@]}" "${LUNS[@]}"
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	grep -qF "LUNs of 1024G, each for 20 VMs. Capacity decides" out
	tr -s ' \n' ' ' <out | grep -qF "4 carry 9 VMs each, 36 in all and not 80."
}

@test "the README shows what the program prints" {
	sed -n '/^Run 1: /,/^Assumptions/p' "$GOLDEN/size-ult.txt" >want
	sed -n '/^\$ lunsweep size /,/^Assumptions/p' "$BATS_TEST_DIRNAME/../../README.md" | tail -n +2 >got
	[ -s want ]
	diff want got
}

@test "JSON says the same, in a form that strict parsers take" {
	import_ult
	"$TOOL" size "${VM[@]}" "${LUNS[@]}" --format json >size.json
	python3 - <<-'END'
	import json
	def refuse(name):
	    raise ValueError(name)
	doc = json.load(open("size.json"), parse_constant=refuse)
	assert doc["format"] == "lunsweep-size" and doc["version"] == 1 and doc["runs"] == [1]
	best = doc["recommended"]
	assert (best["lun_bytes"], best["nr_vms"], best["bound"]) == (1 << 40, 20, "capacity")
	assert [(s["luns"], s["vms_each"], s["vms_in_all"]) for s in doc["sharing"]] == [(2, 20, 40), (4, 9, 36)]
	spans = doc["spans"]
	assert [round(s["loss_depth_pct"], 1) for s in spans] == [0, 8.8, 19.0, 29.6]
	assert [round(s["loss_cap_pct"], 1) for s in spans] == [0, 10.7, 19.4, 30.6]
	assert doc["loss_base_span_bytes"] == spans[0]["span_bytes"]
	assert not any(s["loss_depth_unsure"] or s["loss_cap_unsure"] or s["loss_sure_pct"] for s in spans)
	assert [round(s["mix_iops"]) for s in spans] == [3269, 2952, 2641, 2283]
	assert [(s["nr_vms"], s["bound"]) for s in spans] == [(10, "capacity"), (20, "capacity"), (32, "queue"), (32, "queue")]
	assert [s["fate"] for s in spans] == ["kept", "kept", "loss-too-high", "loss-too-high"]
	assert spans[0]["vms"]["shared"] is None and spans[0]["mix"] is None and spans[0]["mix_estimate"]
	assert len(doc["assumptions"]) == 6
	END
}

@test "what is asked changes the answer" {
	import_ult
	best() {
		"$TOOL" size "${LUNS[@]}" "$@" --format json | jq -c '.recommended | [.lun_bytes / 1073741824, .nr_vms, .bound]'
	}
	[ "$(best --vm-iops 100 --vm-capacity 40G --vm-read 70%)" = '[512,10,"capacity"]' ]
	[ "$(best --vm-iops 50 --vm-capacity 20G --vm-read 70%)" = '[512,20,"capacity"]' ]
	[ "$(best --vm-iops 25 --vm-capacity 40G --vm-read 70% --loss 100%)" = '[2048,40,"capacity"]' ]
	[ "$(best --vm-iops 50 --vm-capacity 100G --vm-read 70% --loss 100%)" = '[4096,32,"capacity"]' ]
	[ "$(best "${VM[@]}" --luns-sharing 4)" = '[512,10,"capacity"]' ]
	[ "$(best "${VM[@]}" --free-space 0%)" = '[1024,25,"capacity"]' ]
	[ "$(best "${VM[@]}" --lun-queue 8 --burst 1)" = '[512,10,"capacity"]' ]
	[ "$(best "${VM[@]}" --headroom 70%)" = '[512,10,"capacity"]' ]
	[ "$(best "${VM[@]}" --lun-queue 4)" = '[512,4,"queue"]' ]
}

@test "spans that are the LUNs need no option" {
	sed 's/,500,512,/,500G,/; s/,1000,1024,/,1000G,/; s/,2000,2048,/,2000G,/; s/,4000,4096,/,4000G,/
		s/span_gb,lun_gb/span/' "$DATA/ult-lun-sizing.csv" | import_table whole
	[ "$(size_json '.recommended | [.lun_bytes / 1073741824, .nr_vms, .bound]')" = '[1000,20,"capacity"]' ]
	"$TOOL" size "${VM[@]}" >out
	# One column tells both.
	grep -qE '^ +LUN +capacity +queue' out
}

@test "reads and writes of two runs of one target are taken together" {
	import_ult
	grep -v randread "$DATA/ult-lun-sizing.csv" | import_table writes
	grep -v randwrite "$DATA/ult-lun-sizing.csv" | import_table reads
	"$TOOL" size 1 "${VM[@]}" --format json | jq 'del(.runs, .target)' >one
	"$TOOL" size 2 3 "${VM[@]}" --format json | jq 'del(.runs, .target)' >two
	diff one two
	fails_with 2 "runs 1 and 2 are of different targets, 'import:ULT array' and 'import:array'" \
		"$TOOL" size 1 2 "${VM[@]}"
	"$TOOL" size 2 "${VM[@]}" >out || [ $? -eq 3 ]
	grep -qF "reads were not measured" out
}

@test "points of several runs are told as such, since their mean is taken" {
	import_ult
	"$TOOL" size 1 "${VM[@]}" >out
	run ! grep -q "several runs" out
	grep -E '^(test|2),' "$DATA/ult-lun-sizing.csv" | import_table again
	change "UPDATE run SET target_id = (SELECT target_id FROM run WHERE id = 1);"
	"$TOOL" size 1 2 "${VM[@]}" >out
	tr -s ' \n' ' ' <out >flat
	grep -qF "500GB, reads: several runs measured 9 of 9 depths; their mean is taken." flat
	run ! grep -qF "500GB, writes: several runs" flat
}

@test "a measured mix is taken instead of the estimate" {
	import_ult
	sed -n 's/^1,/9,/p; s/^3,/9,/p' "$DATA/ult-lun-sizing.csv" | sed 's/randwrite/randrw/' |
		{
			head -n 1 "$DATA/ult-lun-sizing.csv"
			cat
		} | import_table mix --set rwmixread=72
	change "UPDATE run SET target_id = (SELECT target_id FROM run WHERE id = 1);"
	[ "$(size_json '[.spans[].mix_estimate], [.spans[].mix_iops | round]' 1 2 | paste -sd ' ')" = \
		'[false,false,true,true] [2051,1874,2641,2283]' ]
	"$TOOL" size 1 2 "${VM[@]}" >out
	tr -s ' \n' ' ' <out >flat
	grep -qF "IOPS of the VM's mix are those measured at 72 % reads where there are any." flat
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
}

@test "kinds of VMs come from a file, and its mistakes are told with their place" {
	import_ult
	"$TOOL" size --vm-profile "$DATA/vm-profile.yaml" "${LUNS[@]}" >out
	tr -s ' \n' ' ' <out >flat
	grep -qF "A VM asks 46 IOPS, 40G, 71.96 % reads, the mean of 3 profiles: 70 % web (20 IOPS" flat
	grep -qF "LUNs of 1024G, each for 20 VMs." flat
	grep -qF "VMs are counted as the mean of their profiles" flat
	printf 'profiles:\n  - name: web\n    iops: 12x\n' >vm.yaml
	fails_with 2 "vm.yaml:3:11: iops: '12x' is not a number" "$TOOL" size --vm-profile vm.yaml
	fails_with 2 "none.yaml" "$TOOL" size --vm-profile none.yaml
	fails_with 2 "cannot be given beside it" "$TOOL" size --vm-profile vm.yaml --vm-iops 3
	# The name of the only one is no wider than the page, and no command to the terminal.
	printf 'profiles:\n  - {name: "\\e[31m%090d", iops: 50, capacity: 40G, read: 70%%}\n' 0 >long.yaml
	"$TOOL" size --vm-profile long.yaml >out
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	[ "$(grep -c $'\e' out)" -eq 0 ]
}

@test "where the smallest spans are spoiled, losses name their base, and valid points of a smaller span count" {
	import_ult
	change "INSERT INTO point_flag SELECT id, 'stall', 'none for 2 s' FROM point
		WHERE rw = 'randread' AND iodepth = 16 AND span_bytes <= 1000000000000;"
	run -3 "$TOOL" size "${VM[@]}"
	echo "$output" >out
	grep -qF "No LUN size can be recommended" out
	grep -qF "and what they lose against 2000GB" out
	tr -s ' \n' ' ' <out >flat
	grep -qF "reads lose at least 19.4 % against 500GB" flat
	run -3 "$TOOL" size "${VM[@]}" --format json
	echo "$output" >out
	[ "$(jq -c '[.loss_base_span_bytes, (.spans[2].loss_sure_pct * 10 | round)]' out)" = "[2000000000000,194]" ]
}

@test "spoiled points are told and keep their span from being recommended" {
	import_ult
	change "INSERT INTO point_flag SELECT id, 'stall', 'none for 2 s' FROM point
		WHERE rw = 'randread' AND iodepth = 16 AND span_bytes = 1000000000000;"
	"$TOOL" size "${VM[@]}" "${LUNS[@]}" >out
	grep -qF "LUNs of 512G, each for 10 VMs." out
	tr -s ' \n' ' ' <out >flat
	grep -qF "1 size could not be judged." flat
	grep -qF "capacity no valid point of reads at iodepth 16" flat
	grep -qF "1000GB, reads: 1 of 9 points is not used: iodepth 16 (spoiled: stall)." flat
	[ "$(size_json '.spans[1].verdict' "${LUNS[@]}")" = '"no valid point of reads at iodepth 16"' ]
	"$TOOL" size "${VM[@]}" "${LUNS[@]}" --accept stall >out
	grep -qF "LUNs of 1024G, each for 20 VMs." out
	grep -qF "stall (accepted), points that decide: 1000GB (reads)." out
	# Of VMs that only write, reads decide nothing.
	"$TOOL" size --vm-iops 50 --vm-capacity 40G --vm-read 0% >out
	run -1 grep -F "not used" out
}

@test "a client that was the limit decides nothing" {
	import_ult
	change "INSERT INTO point_flag SELECT id, 'cpu-bound', '95 %' FROM point
		WHERE rw = 'randread' AND iodepth = 32 AND span_bytes = 1000000000000;"
	[ "$(size_json '[.spans[1].fate, .spans[1].read.at_least, .recommended.lun_bytes]' "${LUNS[@]}")" = \
		'["client-limited",true,549755813888]' ]
}

@test "a span whose client was the limit still shows what larger ones lose" {
	import_ult
	change "INSERT INTO point_flag SELECT id, 'cpu-bound', '95 %' FROM point
		WHERE span_bytes <= 1000000000000;"
	run -3 "$TOOL" size "${VM[@]}" --format json
	"$TOOL" size "${VM[@]}" --format json >out || true
	[ "$(jq -c '[.recommended, .spans[0].fate, .spans[2].fate, (.spans[2].loss_cap_pct * 10 | round)]' out)" = \
		'[null,"client-limited","loss-too-high",194]' ]
}

@test "a cap that no depth reaches gives figures that are the least" {
	import_ult
	"$TOOL" size "${VM[@]}" "${LUNS[@]}" --cap mean:500ms --lun-queue 4000 >out
	grep -qE '^ +1000GB +>= 4473 +4473 +>= 1909 +1909 +>= ~3188 +8\.8 % +~9\.7 %' out
	grep -qF ">=: the cap was not reached" out
	tr -s ' \n' ' ' <out | grep -qF "by its IOPS at least 51."
}

@test "depths without the percentile of the cap are told" {
	import_table one --set rw=randread,bs=4k,span=100G <<-'CSV'
	qd,iops,lat_ms,p99_ms
	1,1000,1,2
	16,8000,2,
	32,10000,3.2,20
	CSV
	"$TOOL" size --vm-iops 50 --vm-capacity 10G --vm-read 100% --cap p99:10ms >out
	tr -s ' \n' ' ' <out >flat
	grep -qF "100G, reads: of 1 of 3 depths the p99 latency is not known" flat
	grep -qF "Only one span was measured" flat
	grep -qF "no span of 2 or more times 100G was measured" flat
}

@test "an unfinished run is used and called that" {
	import_ult
	change "UPDATE run SET state = 'interrupted', end_ns = NULL;"
	"$TOOL" size "${VM[@]}" "${LUNS[@]}" >out
	grep -qF "The run is not finished (interrupted)" out
}

@test "without a valid answer the exit status is 3, and the table says why" {
	import_ult
	run -3 "$TOOL" size "${VM[@]}" --cap p99:10ms
	[[ $output == *"No LUN size can be recommended"*"no valid point of reads"* ]]
	run -3 "$TOOL" size "${VM[@]}" --cap mean:100us
	[[ $output == *"never meet the cap"* ]]
	run -3 "$TOOL" size --vm-iops 50 --vm-capacity 20T --vm-read 70%
	[[ $output == *"takes even one VM"* ]]
	run -3 "$TOOL" size "${VM[@]}" --luns-sharing 3
	[[ ${output//$'\n' /} == *"has one of 3 times"* ]]
	[ "$(size_json .recommended --luns-sharing 3)" = null ]
	import_table sequential --set rw=read,bs=64k,span=1T <<-'CSV'
	qd,iops,lat_ms
	1,1000,1
	CSV
	fails_with 3 "there is no curve of random I/O" "$TOOL" size "${VM[@]}"
	import_table nowhere --set rw=randread,bs=4k <<-'CSV'
	qd,iops,lat_ms
	1,1000,1
	CSV
	fails_with 3 "the span is not known" "$TOOL" size "${VM[@]}"
}

@test "usage errors name the option and what is wrong" {
	import_ult
	fails_with 2 "what a VM asks is not known" "$TOOL" size 1
	fails_with 2 "what a VM asks is not known" "$TOOL" size --vm-iops 50 --vm-read 70%
	fails_with 2 "--vm-iops: '5x' is not a number" "$TOOL" size "${VM[@]/50/5x}"
	fails_with 2 "--vm-capacity: '40GB' is not a size" "$TOOL" size "${VM[@]/40G/40GB}"
	fails_with 2 "--vm-read: '70' is not a per cent" "$TOOL" size "${VM[@]/70%/70}"
	while IFS='|' read -r option words; do
		fails_with 2 "$words" "$TOOL" size "${VM[@]}" "$option"
	done <<-'END'
	--cap=10ms|--cap: '10ms' is no cap
	--depth=0|--depth: '0' is out of range: 1 or more
	--loss=101%|--loss: '101%' is more than 100%
	--headroom=100%|--headroom: '100%' is out of range
	--free-space=-1%|--free-space: '-1%' is not a per cent
	--lun-queue=4294967296|--lun-queue: '4294967296' is out of range
	--burst=0.5|--burst: '0.5' is out of range: 1 to 1000
	--luns-sharing=1.5|--luns-sharing: '1.5' is not a whole number
	--bs=0|--bs: '0' is out of range
	--lun-size=512G,1T|--lun-size gives 2 sizes, but 4 spans were measured: 500GB, 1000GB
	--lun-size=1T,512G,2T,4T|a LUN of 512G cannot hold the span of 1000GB
	--lun-size=512G,,1T|--lun-size: '' is not a size
	--accept=nonsense|there is no flag 'nonsense'
	--format=xml|--format is text, markdown or json
	END
	fails_with 2 "'one' is not the number of a run" "$TOOL" size one "${VM[@]}"
	fails_with 1 "99" "$TOOL" size 99 "${VM[@]}"
	fails_with 1 none.db "$TOOL" size "${VM[@]}" --db none.db
	[ ! -e none.db ]
}

@test "several block sizes need a choice" {
	{
		cat "$DATA/ult-lun-sizing.csv"
		sed -n 's/^[1-8],\(.*\),4K,/9,\1,8K,/p' "$DATA/ult-lun-sizing.csv"
	} | import_table both
	fails_with 2 "curves of bs 4k and of bs 8k; say which of them by --bs" "$TOOL" size "${VM[@]}"
	[ "$(size_json '[.spans[] | .read.curve] | .[0]' --bs 8k)" = '"randread 8k span 500GB"' ]
}

@test "a full standard output is an error" {
	import_ult
	run -1 sh -c '"$0" size "$@" >/dev/full' "$TOOL" "${VM[@]}"
}
