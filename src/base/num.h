/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <math.h>

/* A figure that is not known. C's NAN is a float, which would make every use of it a silent
 * conversion. Test with isnan(). */
#define UNKNOWN ((double)NAN)

#endif
