/* SPDX-License-Identifier: MIT */
#include "events.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->due_ms < b->due_ms || a->due_ms > b->due_ms)
		return a->due_ms < b->due_ms;
	return a->seq < b->seq;
}

void events_push(struct events *q, double due_ms, int kind, void *subject)
{
	struct event e = {.due_ms = due_ms, .kind = kind, .subject = subject};
	size_t at = q->nr;

	VEC_GROW(q->heap, q->nr, q->cap);
	e.seq = q->next_seq++;
	q->nr++;
	while (at > 0 && is_before(&e, &q->heap[(at - 1) / 2])) {
		q->heap[at] = q->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	q->heap[at] = e;
}

struct event events_pop(struct events *q)
{
	struct event first = q->heap[0];
	struct event last = q->heap[--q->nr];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= q->nr)
			break;
		if (child + 1 < q->nr && is_before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (is_before(&last, &q->heap[child]))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = last;
	return first;
}

void events_release(struct events *q)
{
	free(q->heap);
	*q = (struct events){0};
}
