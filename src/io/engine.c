/* SPDX-License-Identifier: MIT */
#include "io/engine.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct engine_ops *const engines[] = {&engine_aio_ops, &engine_uring_ops};

static const struct engine_ops *find(const char *name)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

bool engine_exists(const char *name)
{
	return find(name) != NULL;
}

int engine_open(const char *name, unsigned depth, struct engine **out)
{
	const struct engine_ops *ops = find(name);
	int rc;

	if (!ops)
		return -ENOENT;
	rc = ops->open(depth, out);
	if (rc < 0)
		return rc;
	(*out)->ops = ops;
	(*out)->depth = depth;
	return 0;
}

void engine_close(struct engine *en)
{
	if (en)
		en->ops->close(en);
}
