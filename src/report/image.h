/* SPDX-License-Identifier: MIT */
/* Formats of pictures. */
#ifndef REPORT_IMAGE_H
#define REPORT_IMAGE_H

#include "base/buf.h"
#include "base/err.h"

enum image { IMAGE_PNG, IMAGE_SVG, IMAGE_PDF, IMAGE_NR };

typedef unsigned image_set; /* bits by enum image; 0 asks for IMAGE_USUAL */

#define IMAGE_BIT(i) (1U << (i))
#define IMAGE_USUAL  (IMAGE_BIT(IMAGE_PNG) | IMAGE_BIT(IMAGE_SVG))

/* "png": its name, and the ending of its files. */
const char *image_name(enum image i);
/* Their names, separated by blanks. */
void buf_add_images(struct buf *b, image_set images);
/* "svg,png": 0, or -1 with the offending text in e. */
int images_parse(const char *text, image_set *images, struct err *e);

#endif
