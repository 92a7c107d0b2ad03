/* SPDX-License-Identifier: MIT */
/*
 * A YAML file through libyaml's document loader, whose nodes carry their place. All scalars are
 * text to us and parsed by base/units, so that 12x is never taken for 12 (D33). Whoever walks
 * the nodes follows the keys it knows, a few levels deep, so aliases cannot make it endless.
 */
#ifndef PLAN_YAML_FILE_H
#define PLAN_YAML_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <yaml.h>

/* A larger file is refused. */
#define YAML_FILE_MAX_BYTES (1U << 20)

/* The document while it is walked. */
struct yaml_file {
	const char *kind; /* "sweep file", for messages */
	const char *path;
	const char *text;
	size_t len;
	yaml_document_t *doc;
	struct err *e;
};

/* Takes what it wants of the document; -1 with a located error in f->e. */
typedef int (*yaml_walk)(struct yaml_file *f, const yaml_node_t *root, void *arg);

/*
 * Parse text and hand the root of its only document to walk. Errors begin with
 * FILE:LINE:COLUMN, both from 1, and are ERR_SPEC. path is only used in messages.
 */
int yaml_file_parse(const char *kind, const char *path, const char *text, size_t len,
		    yaml_walk walk, void *arg, struct err *e);
/* The text of the file, for yaml_file_parse; every error is ERR_SPEC. */
int yaml_file_read(const char *kind, const char *path, struct buf *text, struct err *e);

/* Put the place in front of the message that is already in f->e; returns -1. */
int yaml_at(struct yaml_file *f, size_t line, size_t column);
int yaml_at_node(struct yaml_file *f, const yaml_node_t *n);

/* The node that a pair or an item names by its index. */
const yaml_node_t *yaml_node_of(struct yaml_file *f, int index);
/* The text of a scalar; NULL and a located error for other nodes and for texts with a NUL. what
 * is the subject of the message. */
const char *yaml_scalar(struct yaml_file *f, const yaml_node_t *n, const char *what);
/* 0 if it is a mapping, else a located error. */
int yaml_need_mapping(struct yaml_file *f, const yaml_node_t *n, const char *what);
/* A located error if a key before pair in the same mapping has the same text. */
int yaml_check_once(struct yaml_file *f, const yaml_node_t *map, const yaml_node_pair_t *pair);

#endif
