/* SPDX-License-Identifier: MIT */
/* The future of a simulation: what happens next, and when. */
#ifndef TESTBED_EVENTS_H
#define TESTBED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
	double due_ms;
	int kind;      /* the owner's */
	void *subject; /* the owner's */
	uint64_t seq;  /* set by events_push: equal times come out in the order they went in */
};

/* A binary heap on (due_ms, seq). All zero is an empty one. */
struct events {
	struct event *heap;
	size_t nr, cap;
	uint64_t next_seq;
};

void events_push(struct events *q, double due_ms, int kind, void *subject);
/* Take out the earliest; there must be one. */
struct event events_pop(struct events *q);
void events_release(struct events *q);

#endif
