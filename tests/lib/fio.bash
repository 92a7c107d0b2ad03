# SPDX-License-Identifier: MIT
# fio as the other witness.
# shellcheck shell=bash

# fio_point TARGET RW DEPTH SECONDS [FIO-OPTION...]: 4 KiB I/O over the whole target after 1 s of
# ramp. Sets FIO_IOPS, FIO_LAT_MS (mean) and FIO_P50_MS.
fio_point() {
	local target=$1 rw=$2 depth=$3 seconds=$4 json=$SCRATCH/fio.json dir=read

	shift 4
	[[ $rw != *write ]] || dir="write"
	# allow_file_create: a missing target must never become a file.
	punctual fio --name=point --filename="$target" --allow_file_create=0 --direct=1 --ioengine=libaio \
		--rw="$rw" --bs=4k --iodepth="$depth" --time_based --ramp_time=1 \
		--runtime="$seconds" --norandommap=1 --randrepeat=0 --output-format=json \
		--output="$json" "$@" || return 1
	FIO_IOPS=$(jq -r ".jobs[0].$dir.iops" "$json")
	FIO_LAT_MS=$(jq -r ".jobs[0].$dir.lat_ns.mean / 1e6" "$json")
	FIO_P50_MS=$(jq -r ".jobs[0].$dir.clat_ns.percentile[\"50.000000\"] / 1e6" "$json")
	export FIO_IOPS FIO_LAT_MS FIO_P50_MS
}
