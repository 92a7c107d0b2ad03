/* SPDX-License-Identifier: MIT */
#include "model/axis.h"

#include <string.h>

static const char *const axis_names[AXIS_NR] = {
	[AXIS_RW] = "rw",
	[AXIS_BS] = "bs",
	[AXIS_IODEPTH] = "iodepth",
	[AXIS_SPAN] = "span",
	[AXIS_RWMIXREAD] = "rwmixread",
	[AXIS_WORKERS] = "workers",
	[AXIS_RANDOM_PCT] = "random_pct",
	[AXIS_RATE] = "rate",
};

static const struct {
	const char *name;
	bool random, reads, writes;
} rw_modes[RW_NR] = {
	[RW_READ] = {"read", false, true, false},
	[RW_WRITE] = {"write", false, false, true},
	[RW_RANDREAD] = {"randread", true, true, false},
	[RW_RANDWRITE] = {"randwrite", true, false, true},
	[RW_RW] = {"rw", false, true, true},
	[RW_RANDRW] = {"randrw", true, true, true},
};

static const char *const arrivals_names[ARRIVALS_NR] = {"poisson", "constant"};

static const char *const dir_names[DIR_NR] = {"read", "write", "total"};

const char *axis_name(enum axis axis)
{
	return axis_names[axis];
}

enum axis axis_find(const char *name)
{
	enum axis a = 0;

	while (a < AXIS_NR && strcmp(axis_names[a], name) != 0)
		a++;
	return a;
}

const char *rw_name(enum rw_mode rw)
{
	return rw_modes[rw].name;
}

enum rw_mode rw_find(const char *name)
{
	enum rw_mode rw = 0;

	while (rw < RW_NR && strcmp(rw_modes[rw].name, name) != 0)
		rw++;
	return rw;
}

bool rw_is_random(enum rw_mode rw)
{
	return rw_modes[rw].random;
}

bool rw_is_mixed(enum rw_mode rw)
{
	return rw_modes[rw].reads && rw_modes[rw].writes;
}

bool rw_reads(enum rw_mode rw)
{
	return rw_modes[rw].reads;
}

bool rw_writes(enum rw_mode rw)
{
	return rw_modes[rw].writes;
}

const char *arrivals_name(enum arrivals arrivals)
{
	return arrivals_names[arrivals];
}

const char *dir_name(enum dir dir)
{
	return dir_names[dir];
}
