/* SPDX-License-Identifier: MIT */
/* A picture that gnuplot drew, made fit to stand in a page. */
#ifndef REPORT_HTML_SVG_H
#define REPORT_HTML_SVG_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Append the drawing of an SVG file, without its <svg> and </svg>: only elements and attributes that draw, whatever else
 * the file holds; every id, and what refers to it, behind prefix, so that pictures of one page do not
 * take each other's; colours as #rrggbb. The picture's viewBox goes to view_box.
 * False where this is no SVG that can be read: b may hold a part of it then.
 */
bool html_svg(struct buf *b, const char *svg, const char *prefix, struct buf *view_box);

#endif
