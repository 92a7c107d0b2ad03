/* SPDX-License-Identifier: MIT */
#include "report/chart.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/temp_dir.h"
#include "report/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGE_MAX_BYTES (256U << 20)

static int write_text(const char *dir, const char *name, const char *ending, const struct buf *text,
		      struct buf *made, struct err *e)
{
	char *file = xasprintf("%s.%s", name, ending);
	int rc = file_write_text(dir, file, text, made, e);

	free(file);
	return rc;
}

/* A picture of an earlier report would be taken for one of this. */
static int remove_images(const char *dir, const char *name, struct err *e)
{
	int rc = 0;

	for (enum image i = 0; i < IMAGE_NR; i++) {
		char *path = xasprintf("%s/%s.%s", dir, name, image_name(i));

		if (unlink(path) < 0 && errno != ENOENT)
			rc = err_sys(e, ERR_OUTPUT, errno, "cannot replace '%s'", path);
		free(path);
	}
	return rc;
}

static int write_sources(const struct picture *p, const char *dir, const char *formats,
			 struct buf *made, struct err *e)
{
	struct buf gp = BUF_INIT, dat = BUF_INIT;
	int rc = write_text(dir, p->name, "txt", &p->caption, made, e);

	if (!rc && picture_has_points(p)) {
		picture_script(p, formats, &gp);
		picture_data(p, &dat);
		rc = write_text(dir, p->name, "dat", &dat, made, e) ||
		     write_text(dir, p->name, "gp", &gp, made, e);
	}
	buf_release(&gp);
	buf_release(&dat);
	return rc ? -1 : 0;
}

/* What is to be drawn: charts with points. */
struct drawing {
	const struct picture **picture;
	struct gnuplot_script *script; /* of the same places */
	size_t nr;
	image_set images;
};

static void drawing_init(struct drawing *d, const struct charts *c, image_set images)
{
	d->picture = xcalloc(c->nr + 1, sizeof(const struct picture *));
	d->script = xcalloc(c->nr + 1, sizeof(*d->script));
	d->nr = 0;
	d->images = images ? images : IMAGE_USUAL;
}

static void drawing_add(struct drawing *d, const struct picture *p)
{
	d->picture[d->nr] = p;
	d->script[d->nr++].name = xasprintf("%s.gp", p->name);
}

static void drawing_release(struct drawing *d)
{
	for (size_t i = 0; i < d->nr; i++)
		free(d->script[i].name);
	free(d->picture);
	free(d->script);
}

static int create(const char *dir, const char *name, const char *ending, const struct buf *text,
		  struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, ending);
	int rc = file_create(path, buf_text(text), text->len, e);

	free(path);
	return rc;
}

static int create_sources(const struct drawing *d, const char *dir, struct err *e)
{
	struct buf formats = BUF_INIT;
	int rc = 0;

	buf_add_images(&formats, d->images);
	for (size_t i = 0; i < d->nr && !rc; i++) {
		struct buf gp = BUF_INIT, dat = BUF_INIT;

		picture_script(d->picture[i], buf_text(&formats), &gp);
		picture_data(d->picture[i], &dat);
		rc = create(dir, d->picture[i]->name, "dat", &dat, e) ||
		     create(dir, d->picture[i]->name, "gp", &gp, e);
		buf_release(&gp);
		buf_release(&dat);
	}
	buf_release(&formats);
	return rc ? -1 : 0;
}

static int check_image(const char *dir, const char *name, enum image image, struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, image_name(image));
	struct stat st;
	int errnum = stat(path, &st) < 0 ? errno : 0, rc = 0;

	if (errnum && errnum != ENOENT)
		rc = err_sys(e, ERR_OUTPUT, errnum, "cannot look at the picture '%s.%s'", name,
			     image_name(image));
	else if (errnum || st.st_size == 0)
		rc = err_set(e, ERR_TOOL, "gnuplot made no picture '%s.%s'", name,
			     image_name(image));
	free(path);
	return rc;
}

/* What a script that failed has left may be half a picture. */
static int check(struct drawing *d, size_t i, const char *dir, struct err *e)
{
	int rc = 0;

	if (!d->script[i].is_drawn)
		return remove_images(dir, d->picture[i]->name, e);
	for (enum image image = 0; image < IMAGE_NR; image++)
		if (d->images & IMAGE_BIT(image))
			rc = check_image(dir, d->picture[i]->name, image, e) || rc ? -1 : 0;
	return rc;
}

/* In a directory of our own. */
static int draw_in(struct drawing *d, const char *dir, struct err *e)
{
	struct err this = {0};
	int rc;

	if (create_sources(d, dir, e))
		return -1;
	rc = gnuplot_draw(dir, d->script, d->nr, GNUPLOT_TIME_LIMIT_NS, e);
	for (size_t i = 0; i < d->nr; i++)
		if (check(d, i, dir, &this) && !rc)
			rc = err_join(e, &this);
	return rc;
}

static int move_image(const char *from, const char *to, const char *name, enum image image,
		      struct buf *made, struct err *e)
{
	char *old = xasprintf("%s/%s.%s", from, name, image_name(image));
	char *new = xasprintf("%s/%s.%s", to, name, image_name(image));
	int rc = 0;

	if (access(old, F_OK) == 0) {
		rc = file_move(old, new, IMAGE_MAX_BYTES, e);
		if (!rc)
			buf_addf(made, "%s\n", new);
	}
	free(old);
	free(new);
	return rc;
}

static int move_images(const struct drawing *d, const char *from, const char *to, struct buf *made,
		       struct err *e)
{
	struct err this = {0};
	int rc = 0;

	for (size_t i = 0; i < d->nr; i++)
		for (enum image image = 0; image < IMAGE_NR; image++)
			if (move_image(from, to, d->picture[i]->name, image, made, &this) && !rc)
				rc = err_join(e, &this);
	return rc;
}

static bool has_drawn(const struct drawing *d)
{
	for (size_t i = 0; i < d->nr; i++)
		if (d->script[i].is_drawn)
			return true;
	return false;
}

/* The scripts are there for another time. */
static void add_hint(const struct drawing *d, const char *dir, struct err *all)
{
	struct err hint = {.code = ERR_TOOL};

	if (has_drawn(d))
		return;
	(void)err_set(&hint, ERR_TOOL, "the scripts in '%s' are ready to run", dir);
	(void)err_join(all, &hint);
}

/*
 * Whoever may write to the directory of a report must not be able to change a script between its writing and its
 * drawing, since scripts can start programs, nor to say by a symbolic link where a picture goes.
 */
static void draw_apart(struct drawing *d, const char *dir, struct buf *made, struct err *all)
{
	struct err drawn_e = {0}, moved_e = {0}, removed_e = {0};
	struct temp_dir temp;

	if (temp_dir_make(&temp, &drawn_e)) {
		(void)err_join(all, &drawn_e);
		return;
	}
	if (draw_in(d, temp.path, &drawn_e)) {
		(void)err_join(all, &drawn_e);
		if (drawn_e.code == ERR_TOOL)
			add_hint(d, dir, all);
	}
	if (move_images(d, temp.path, dir, made, &moved_e))
		(void)err_join(all, &moved_e);
	if (temp_dir_remove(&temp, &removed_e))
		(void)err_join(all, &removed_e);
}

/* Every old picture goes before anything else is done, so that none is taken for one of this report. The first error
 * tells enough of what keeps files away. */
static int prepare(const struct charts *c, const char *dir, struct drawing *d, struct buf *made,
		   struct buf *notes, struct err *e)
{
	struct buf formats = BUF_INIT;
	struct err this = {0};
	int rc = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (remove_images(dir, c->v[i].name, &this) && !rc)
			rc = err_join(e, &this);
	buf_add_images(&formats, d->images);
	for (size_t i = 0; i < c->nr; i++) {
		const struct picture *p = &c->v[i];

		if (!picture_has_points(p))
			buf_addf(notes, "no valid points for '%s': no picture\n",
				 buf_text(&p->title));
		if (write_sources(p, dir, buf_text(&formats), made, &this))
			rc = rc ? rc : err_join(e, &this);
		else if (picture_has_points(p))
			drawing_add(d, p);
	}
	buf_release(&formats);
	return rc;
}

int charts_write(const struct charts *c, const char *dir, image_set images, struct buf *made,
		 struct buf *notes, struct err *e)
{
	struct err all = {0};
	struct drawing d;

	drawing_init(&d, c, images);
	(void)prepare(c, dir, &d, made, notes, &all);
	if (d.nr)
		draw_apart(&d, dir, made, &all);
	drawing_release(&d);
	return all.code == ERR_NONE ? 0 : err_join(e, &all);
}

int charts_draw(const struct charts *c, const char *dir, image_set images, struct err *e)
{
	struct drawing d;
	int rc;

	drawing_init(&d, c, images);
	for (size_t i = 0; i < c->nr; i++)
		if (picture_has_points(&c->v[i]))
			drawing_add(&d, &c->v[i]);
	rc = draw_in(&d, dir, e);
	drawing_release(&d);
	return rc;
}
