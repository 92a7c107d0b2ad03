# SPDX-License-Identifier: MIT
# A virtual machine with Debian's cloud kernel, for what takes kernel modules or a clock of its own.
# It boots into a script of tests/vm/guest; what that leaves in /out comes back as a folder.
# Emulated (TCG), so it needs no hardware. Kernel and initramfs stay in VM_DIR.
# shellcheck shell=bash

: "${VM_DIR:=$PROJECT_ROOT/build/vm}"
VM_TREE=$VM_DIR/kernel
# Seconds after which a machine is ended.
: "${VM_TIMEOUT:=240}"

VM_MODULES=(virtio_pci virtio_blk configfs null_blk scsi_debug sd_mod dm-mod dm-flakey md-mod raid1
	crc32c_generic crc32c_intel libcrc32c)
VM_PROGRAMS=(dmsetup mdadm)

# Skips where there cannot be one.
vm_need() {
	need qemu-system-x86_64 busybox cpio depmod apt-get dpkg-deb jq sqlite3 "${VM_PROGRAMS[@]}"
	[ "$(dpkg --print-architecture)" = amd64 ] || skip "the kernel of the machine is for amd64"
	vm_kernel || skip "the package linux-image-cloud-amd64 cannot be had"
}

# The kernel package is unpacked into VM_TREE, not installed.
vm_kernel() {
	local package

	[ ! -e "$VM_TREE/complete" ] || return 0
	mkdir -p "$VM_DIR"
	package=$(vm_kernel_package)
	[ -n "$package" ] || {
		apt-get -q update >&2
		package=$(vm_kernel_package)
	}
	rm -rf "$VM_TREE" "$VM_DIR"/linux-image-*.deb
	(cd "$VM_DIR" && apt-get -q download "$package" >&2) || return 1
	dpkg-deb -x "$VM_DIR"/linux-image-*.deb "$VM_TREE" || return 1
	rm "$VM_DIR"/linux-image-*.deb
	depmod -b "$VM_TREE" "$(ls "$VM_TREE/lib/modules")" || return 1
	touch "$VM_TREE/complete"
}

vm_kernel_package() {
	apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# vm_initrd SCRIPT FILE: an initramfs that runs the script of that name.
vm_initrd() {
	local root release module program

	root=$(mktemp -d "$SCRATCH/initrd.XXXXXX")
	release=$(ls "$VM_TREE/lib/modules")
	mkdir -p "$root"/{bin,sbin,proc,sys,dev,tmp,etc,run/lock,mnt,out,root}
	cp "$(command -v busybox)" "$root/bin/busybox"
	for module in "${VM_MODULES[@]}"; do
		modprobe -d "$VM_TREE" -S "$release" --show-depends "$module" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | sort -u | while read -r module; do
		install -D -m 644 "$module" "$root/lib/modules/${module#*/lib/modules/}"
	done
	cp "$VM_TREE/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$release/"
	depmod -b "$root" "$release" || return 1
	for program in "$TOOL" "${VM_PROGRAMS[@]}"; do
		vm_install "$root" "$(command -v "$program")"
	done
	# It needs no library.
	cc -O2 -static -o "$root/sbin/set-clock" "$PROJECT_ROOT/tests/vm/set-clock.c" || return 1
	cp "$PROJECT_ROOT/tests/vm/guest/init" "$root/init"
	cp "$PROJECT_ROOT/tests/vm/guest/lib.sh" "$root/root/lib.sh"
	cp "$PROJECT_ROOT/tests/vm/guest/$1.sh" "$root/root/run.sh"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$2" || return 1
	rm -rf "$root"
}

# A program and the libraries that it is linked with.
vm_install() {
	local library

	install -D -m 755 "$2" "$1/sbin/${2##*/}"
	ldd "$2" | grep -o '/[^ ]*' | while read -r library; do
		[ -e "$1$library" ] || install -D -m 755 "$(readlink -f "$library")" "$1$library"
	done
}

# vm_boot SCRIPT OUT QEMU-OPTION...: run tests/vm/guest/SCRIPT.sh; its console is OUT.log. Fails
# where the script did not come to its end.
vm_boot() {
	local script=$1 out=$2 image=$2.img

	shift 2
	mkdir -p "$out"
	vm_initrd "$script" "$out.cpio" || return 1
	truncate -s 64M "$image"
	timeout -k 5 "$VM_TIMEOUT" qemu-system-x86_64 -nodefaults -no-user-config -M q35 -cpu max \
		-m 512 -display none -serial stdio -no-reboot -kernel "$VM_TREE"/boot/vmlinuz-* \
		-initrd "$out.cpio" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check" \
		-drive "file=$image,format=raw,if=none,id=out,cache=unsafe" \
		-device virtio-blk-pci,drive=out "$@" </dev/null >"$out.log" 2>&1 &
	echo $! >"$out.pid"
	wait $!
	tar -xf "$image" -C "$out" 2>>"$out.log"
	[ -e "$out/done" ]
}

# vm_stop OUT: whatever state it is in.
vm_stop() {
	[ ! -e "$1.pid" ] || stop_pid "$(cat "$1.pid")"
}

# Idle time is skipped and an instruction takes a nanosecond, so no load of this host is seen.
VM_EXACT=(-smp 1 -accel "tcg,thread=single" -icount "shift=0,sleep=off" -rtc "clock=vm,base=2026-01-01")
# Ordinary time, as well as it goes.
VM_ORDINARY=(-smp 2 -accel "tcg,thread=multi")
export VM_EXACT VM_ORDINARY
