/* SPDX-License-Identifier: MIT */
#include "run/probe.h"

#include "base/clock.h"
#include "base/rng.h"

#include <string.h>

#define MAX_BLOCKS  64
#define MAX_BYTES   4096
#define MAX_TIME_NS (500 * NS_PER_MS)
#define LOOK_UP_NS  (100 * NS_PER_MS)
/* As a point, so that the end by a signal comes within 3 s (D10). */
#define AFTER_SIGNAL_NS (3 * NS_PER_S / 2)

/* Wait for the one read in flight; false when it does not come back. */
static bool wait_for(const struct probe_config *c, int64_t *res)
{
	uint64_t until = clock_now_ns() + c->drain_timeout_ns, now;
	struct engine_done done;
	bool is_told = false;

	while ((now = clock_now_ns()) < until) {
		int n = engine_reap(c->engine, &done, 1, LOOK_UP_NS);

		if (n > 0) {
			*res = done.res;
			return true;
		}
		if (*c->nr_signals && !is_told && until > now + AFTER_SIGNAL_NS)
			until = now + AFTER_SIGNAL_NS;
		is_told = *c->nr_signals;
	}
	return false;
}

static bool is_zero(const unsigned char *data, size_t len)
{
	return !data[0] && !memcmp(data, data + 1, len - 1);
}

void probe_read(const struct probe_config *c, const struct point_spec *spec, struct probe *out)
{
	uint32_t len = spec->bs_bytes < MAX_BYTES ? (uint32_t)spec->bs_bytes : MAX_BYTES;
	uint64_t nr_blocks = spec->span_bytes / spec->bs_bytes;
	uint64_t until = clock_now_ns() + MAX_TIME_NS;
	struct engine_io io = {0}, *submit = &io;
	struct rng rng;

	*out = (struct probe){0};
	engine_bind(c->engine, 0, &io, c->fd, c->buffer, len);
	rng_seed(&rng, rng_mix(c->seed));
	for (unsigned i = 0; i < MAX_BLOCKS && clock_now_ns() < until && !*c->nr_signals; i++) {
		int64_t res = 0;

		io.offset_bytes = spec->offset_bytes + spec->bs_bytes * rng_below(&rng, nr_blocks);
		if (engine_submit(c->engine, &submit, 1) != 1)
			return;
		if (!wait_for(c, &res)) {
			out->is_stuck = true;
			return;
		}
		if (res != (int64_t)len)
			continue;
		out->nr_read++;
		out->nr_zero += is_zero(c->buffer, len);
	}
}
