/* SPDX-License-Identifier: MIT */
/* Any bytes as a stored histogram: refused, or one whose quantiles rise and stay between its ends,
 * and which packs to bytes that unpack to it. */
#include "fuzz.h"

#include "base/num.h"
#include "stats/hist.h"

static void check_quantiles(const struct hist *h)
{
	double last = hist_quantile(h, 0);

	for (unsigned i = 1; i <= 20; i++) {
		double q = hist_quantile(h, i / 20.0);

		require(isnan(q) == isnan(last));
		require(isnan(q) || q >= last);
		last = q;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hist h, back;
	struct buf b = BUF_INIT, again = BUF_INIT;

	if (!hist_unpack(&h, data, size))
		return 0;
	check_quantiles(&h);
	(void)hist_mean(&h);
	(void)hist_stddev(&h);
	hist_pack(&h, &b);
	require(hist_unpack(&back, buf_text(&b), b.len));
	hist_pack(&back, &again);
	require(b.len == again.len && !memcmp(buf_text(&b), buf_text(&again), b.len));
	buf_release(&b);
	buf_release(&again);
	return 0;
}
