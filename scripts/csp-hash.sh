#!/bin/sh
# SPDX-License-Identifier: MIT
# csp-hash.sh: how a Content-Security-Policy names the text on standard input: sha256-BASE64.
# Base64 takes 6 bits a letter, so 3 hexadecimal digits are 2 letters; 256 bits are 42 letters and 4 bits.
sha256sum | awk '
	BEGIN {
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		printf "sha256-"
	}
	{
		hex = substr($1, 1, 64) "00"
		for (i = 1; i <= 66; i += 3) {
			v = 0
			for (k = 0; k < 3; k++)
				v = v * 16 + index("0123456789abcdef", substr(hex, i + k, 1)) - 1
			text = text substr(letters, int(v / 64) + 1, 1) substr(letters, v % 64 + 1, 1)
		}
		printf "%s=", substr(text, 1, 43)
	}'
