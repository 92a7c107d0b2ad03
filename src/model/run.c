/* SPDX-License-Identifier: MIT */
#include "model/run.h"

#include <stdlib.h>
#include <string.h>

static const char *const state_names[RUN_STATE_NR] = {"running", "interrupted", "finished"};

const char *run_state_name(enum run_state state)
{
	return state_names[state];
}

enum run_state run_state_find(const char *name)
{
	enum run_state s = 0;

	while (s < RUN_STATE_NR && strcmp(state_names[s], name) != 0)
		s++;
	return s;
}

void run_info_release(struct run_info *r)
{
	char *const texts[] = {
		r->key,		 r->sweep_name,	     r->question,	 r->sweep_text,
		r->command,	 r->tool_version,    r->git_id,		 r->engine,
		r->target_given, r->target_resolved, r->target_identity, r->target_label};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	facts_release(&r->facts);
	*r = (struct run_info){0};
}
