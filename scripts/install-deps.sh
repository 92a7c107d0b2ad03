#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# install-deps.sh [build|run|test]...: install the Debian packages that are missing, and nothing
# when all are there. run includes build, test includes run. Needs root or sudo only if
# something is to be installed.
set -eu

build=(gcc make libc6-dev libaio-dev libsqlite3-dev libyaml-dev libblkid-dev liburing-dev pkg-config)
run=(gnuplot-nox)
test=(bats chromium-headless-shell clang clang-format cmark-gfm fio fuse3 git jq libcmocka-dev libfuse3-dev mandoc
	poppler-utils python3-jsonschema python3-minimal
	shellcheck sqlite3 strace util-linux valgrind xfsprogs)
# The virtual machine of tests/vm; its kernel is fetched when it is needed, and not installed.
test+=(busybox-static cpio dmsetup kmod mdadm qemu-system-x86)

die() {
	printf 'install-deps: %s\n' "$*" >&2
	exit 1
}

case ${1:-run} in
build) wanted=("${build[@]}") ;;
run) wanted=("${build[@]}" "${run[@]}") ;;
test) wanted=("${build[@]}" "${run[@]}" "${test[@]}") ;;
*) die "usage: install-deps.sh [build|run|test]" ;;
esac

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

command -v dpkg-query >/dev/null ||
	die "this is no Debian; install by your own means: ${wanted[*]}"
missing=()
for package in "${wanted[@]}"; do
	is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || die "as root, run: apt-get install ${missing[*]}"
	as_root=(sudo)
fi
echo "Installing: ${missing[*]}" >&2
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
	-o DPkg::Lock::Timeout=120)
"${apt[@]}" update >&2 || die "cannot read the package lists; is there a network? Missing: ${missing[*]}"
"${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 ||
	die "could not install: ${missing[*]}"
