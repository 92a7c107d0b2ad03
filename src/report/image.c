/* SPDX-License-Identifier: MIT */
#include "report/image.h"

#include "base/mem.h"

#include <string.h>

static const char *const names[IMAGE_NR] = {"png", "svg", "pdf"};

const char *image_name(enum image i)
{
	return names[i];
}

void buf_add_images(struct buf *b, image_set images)
{
	const char *sep = "";

	for (enum image i = 0; i < IMAGE_NR; i++) {
		if (!(images & IMAGE_BIT(i)))
			continue;
		buf_addf(b, "%s%s", sep, names[i]);
		sep = " ";
	}
}

static image_set find(const char *name, size_t len)
{
	for (enum image i = 0; i < IMAGE_NR; i++)
		if (strlen(names[i]) == len && strncmp(names[i], name, len) == 0)
			return IMAGE_BIT(i);
	return 0;
}

int images_parse(const char *text, image_set *images, struct err *e)
{
	*images = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		image_set one = find(text, len);

		if (!one)
			return err_set(e, ERR_USAGE,
				       "'%.*s' is no image format: use svg, png or pdf",
				       len > 40 ? 40 : (int)len, text);
		*images |= one;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
