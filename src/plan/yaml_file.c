/* SPDX-License-Identifier: MIT */
#include "plan/yaml_file.h"

#include "base/file.h"

#include <string.h>
#include <sys/stat.h>

int yaml_at(struct yaml_file *f, size_t line, size_t column)
{
	if (f->e)
		f->e->code = ERR_SPEC;
	return err_wrap(f->e, "%s:%zu:%zu", f->path, line, column);
}

int yaml_at_node(struct yaml_file *f, const yaml_node_t *n)
{
	return yaml_at(f, n->start_mark.line + 1, n->start_mark.column + 1);
}

static const char *node_kind(const yaml_node_t *n)
{
	switch (n->type) {
	case YAML_SCALAR_NODE:
		return n->data.scalar.length ? "a single value" : "nothing";
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	case YAML_NO_NODE:
		break;
	}
	return "nothing";
}

const yaml_node_t *yaml_node_of(struct yaml_file *f, int index)
{
	return yaml_document_get_node(f->doc, index);
}

const char *yaml_scalar(struct yaml_file *f, const yaml_node_t *n, const char *what)
{
	const char *text = (const char *)n->data.scalar.value;

	if (n->type != YAML_SCALAR_NODE) {
		(void)err_set(f->e, ERR_SPEC, "%s must be a single value, not %s", what,
			      node_kind(n));
		(void)yaml_at_node(f, n);
		return NULL;
	}
	if (strlen(text) != n->data.scalar.length) {
		(void)err_set(f->e, ERR_SPEC, "%s holds a NUL character", what);
		(void)yaml_at_node(f, n);
		return NULL;
	}
	return text;
}

int yaml_need_mapping(struct yaml_file *f, const yaml_node_t *n, const char *what)
{
	if (n->type == YAML_MAPPING_NODE)
		return 0;
	(void)err_set(f->e, ERR_SPEC, "%s must be a mapping of keys to values, not %s", what,
		      node_kind(n));
	return yaml_at_node(f, n);
}

int yaml_check_once(struct yaml_file *f, const yaml_node_t *map, const yaml_node_pair_t *pair)
{
	const yaml_node_t *key = yaml_node_of(f, pair->key);
	const char *text = (const char *)key->data.scalar.value;

	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
		const yaml_node_t *other = yaml_node_of(f, p->key);

		if (!strcmp((const char *)other->data.scalar.value, text)) {
			(void)err_set(f->e, ERR_SPEC,
				      "key '%s' is given twice; the first is in line %zu", text,
				      other->start_mark.line + 1);
			return yaml_at_node(f, key);
		}
	}
	return 0;
}

/* libyaml gives no mark for bytes that it cannot read, only their offset. */
static int reader_error(struct yaml_file *f, const yaml_parser_t *p)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < f->len && i < p->problem_offset; i++) {
		column++;
		if (f->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	(void)err_set(f->e, ERR_SPEC, "this is no text file: %s", p->problem);
	return yaml_at(f, line, column);
}

static int syntax_error(struct yaml_file *f, const yaml_parser_t *p)
{
	size_t index = p->problem_mark.index;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(f->e, ERR_SYSTEM, "out of memory while reading '%s'", f->path);
	if (p->error == YAML_READER_ERROR)
		return reader_error(f, p);
	(void)err_set(f->e, ERR_SPEC, "this is no YAML: %s%s%s%s", p->context ? p->context : "",
		      p->context ? ", " : "", p->problem ? p->problem : "syntax error",
		      index < f->len && f->text[index] == '\t'
			      ? "; indent with spaces, not with tabs"
			      : "");
	return yaml_at(f, p->problem_mark.line + 1, p->problem_mark.column + 1);
}

/* Nothing but the end may follow the first document. */
static int check_last(struct yaml_file *f, yaml_parser_t *p)
{
	yaml_document_t next;
	const yaml_node_t *root;
	int rc = 0;

	if (!yaml_parser_load(p, &next))
		return syntax_error(f, p);
	root = yaml_document_get_root_node(&next);
	if (root) {
		(void)err_set(f->e, ERR_SPEC, "a second document begins here; a file holds one");
		rc = yaml_at(f, next.start_mark.line + 1, next.start_mark.column + 1);
	}
	yaml_document_delete(&next);
	return rc;
}

static int load_document(struct yaml_file *f, yaml_parser_t *p, yaml_walk walk, void *arg)
{
	yaml_document_t doc;
	const yaml_node_t *root;
	int rc;

	if (!yaml_parser_load(p, &doc))
		return syntax_error(f, p);
	f->doc = &doc;
	root = yaml_document_get_root_node(&doc);
	if (root) {
		rc = walk(f, root, arg);
	} else {
		(void)err_set(f->e, ERR_SPEC, "the %s is empty", f->kind);
		rc = yaml_at(f, 1, 1);
	}
	/* The end of the stream gives one empty document only once. */
	if (!rc)
		rc = check_last(f, p);
	yaml_document_delete(&doc);
	return rc;
}

int yaml_file_parse(const char *kind, const char *path, const char *text, size_t len,
		    yaml_walk walk, void *arg, struct err *e)
{
	struct yaml_file f = {kind, path, text, len, NULL, e};
	yaml_parser_t p;
	int rc;

	if (!yaml_parser_initialize(&p))
		return err_set(e, ERR_SYSTEM, "out of memory for the YAML parser");
	yaml_parser_set_input_string(&p, (const unsigned char *)text, len);
	rc = load_document(&f, &p, walk, arg);
	yaml_parser_delete(&p);
	return rc;
}

int yaml_file_read(const char *kind, const char *path, struct buf *text, struct err *e)
{
	struct stat st;

	if (stat(path, &st) == 0 && st.st_size > YAML_FILE_MAX_BYTES)
		return err_set(e, ERR_SPEC, "%s:1:1: a %s of more than 1 MiB is refused", path,
			       kind);
	if (file_read(path, YAML_FILE_MAX_BYTES, text, e)) {
		if (e)
			e->code = ERR_SPEC;
		return -1;
	}
	return 0;
}
