/* SPDX-License-Identifier: MIT */
#include "report/series_steps.h"

#include "base/clock.h"
#include "base/num.h"

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

uint64_t series_length_ns(const struct measurement *m, size_t first, size_t last)
{
	uint64_t end = last * m->interval_ns < m->window_ns ? last * m->interval_ns : m->window_ns;

	return end - first * m->interval_ns;
}

struct series_steps series_steps_of(const struct measurement *m, size_t max)
{
	struct series_steps s = {m, m->nr_intervals / max + 1, 0};

	s.nr = (m->nr_intervals + s.merge - 1) / s.merge;
	return s;
}

struct series_step series_step_at(const struct series_steps *s, size_t i, enum dir dir)
{
	const struct measurement *m = s->m;
	size_t first = i * s->merge, last = first + s->merge;
	struct series_step out = {.lat_max_ns = UNKNOWN};

	last = last < m->nr_intervals ? last : m->nr_intervals;
	for (size_t k = first; k < last; k++) {
		out.lat_max_ns = fmax(out.lat_max_ns, interval_lat_max_ns(&m->series[k], dir));
		for (enum dir d = DIR_READ; d <= DIR_WRITE; d++) {
			if (dir != DIR_TOTAL && dir != d)
				continue;
			out.ios += m->series[k].ios[d];
			out.lat_ns += (double)m->series[k].lat_ns[d];
		}
	}
	out.length_s = seconds(series_length_ns(m, first, last));
	out.at_s = seconds(first * m->interval_ns + series_length_ns(m, first, last) / 2);
	return out;
}
