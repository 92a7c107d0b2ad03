#!/bin/sh
# Turn standard input into a NUL-terminated C array of bytes named $1 (schemas, templates).
printf 'extern const unsigned char %s[];\nconst unsigned char %s[] = {\n' "$1" "$1"
od -An -v -tu1 | sed 's/  */, /g; s/^, /\t/; s/$/,/'
printf '\t0\n};\n'
