/* SPDX-License-Identifier: MIT */
#include "cmd/output.h"

#include "base/file.h"
#include "base/log.h"

#include <string.h>

/* One line of talk for each line of text. */
static void log_lines(struct buf *text, void (*log)(const char *fmt, ...))
{
	char *save = NULL;

	if (!text->len)
		return;
	for (char *s = strtok_r(text->text, "\n", &save); s; s = strtok_r(NULL, "\n", &save))
		log("%s", s);
}

void output_log(struct buf *made, struct buf *notes)
{
	log_lines(made, log_info);
	log_lines(notes, log_warn);
}

int output_parse(const char *dir, const char *images, struct output_place *place, struct err *e)
{
	*place = (struct output_place){.dir = dir};
	if (!images)
		return 0;
	if (!dir)
		return err_set(e, ERR_USAGE, "--image is of charts, which need -o DIR");
	return images_parse(images, &place->images, e) ? err_wrap(e, "--image") : 0;
}

int output_write(const struct output_place *place, const struct output_file *files, size_t nr,
		 const struct charts *charts, struct err *e)
{
	struct buf made = BUF_INIT, notes = BUF_INIT;
	struct err failed = {0}, this = {0};
	int rc;

	if (file_mkdirs(place->dir, e))
		return -1;
	for (size_t i = 0; i < nr; i++)
		if (file_write_text(place->dir, files[i].name, &files[i].text, &made, &this))
			(void)err_join(&failed, &this);
	if (charts_write(charts, place->dir, place->images, &made, &notes, &this))
		(void)err_join(&failed, &this);
	output_log(&made, &notes);
	rc = failed.code == ERR_NONE ? 0 : err_join(e, &failed);
	buf_release(&made);
	buf_release(&notes);
	return rc;
}
