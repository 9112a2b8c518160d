#!/bin/sh
# deb.sh TREE VERSION ARCHITECTURE MAINTAINER OUT: packs a tree that release.sh has laid out as a Debian package into the
# folder OUT.
# Made by dpkg-deb, which every Debian has, and not by cargo-deb: nothing has to be built for it, the program can come
# from another machine, and the bytes follow from SOURCE_DATE_EPOCH.
# PACK_LEVEL (6) says how hard it is compressed.
set -eu
umask 022
tree=$1 version=$2 architecture=$3 maintainer=$4 out=$5
here=$(cd "$(dirname "$0")" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/root
put() { # put MODE FROM TO
    install -D -m "$1" "$2" "$root/$3"
}
put 755 "$tree/formsvc" usr/bin/formsvc
for page in "$tree"/man/*.1; do
    gzip -9n <"$page" >"$stage/page"
    put 644 "$stage/page" "usr/share/man/man1/$(basename "$page").gz"
done
put 644 "$tree/completions/formsvc.bash" usr/share/bash-completion/completions/formsvc
put 644 "$tree/completions/_formsvc" usr/share/zsh/vendor-completions/_formsvc
put 644 "$tree/completions/formsvc.fish" usr/share/fish/vendor_completions.d/formsvc.fish
sed 's#/usr/local/bin/#/usr/bin/#' "$tree/systemd/formsvc.service" >"$stage/unit"
put 644 "$stage/unit" usr/lib/systemd/system/formsvc.service
put 644 "$tree/systemd/sysusers.conf" usr/lib/sysusers.d/formsvc.conf
put 644 "$tree/systemd/tmpfiles.conf" usr/lib/tmpfiles.d/formsvc.conf
put 644 "$tree/systemd/low-ports.conf" usr/share/doc/formsvc/examples/low-ports.conf
# The handbook names litestream.yml as the file beside its folder.
for file in "$tree"/handbook/*.md "$tree/litestream.yml"; do
    put 644 "$file" "usr/share/doc/formsvc/${file#"$tree"/}"
done
put 644 "$tree/formsvc.toml" etc/formsvc/formsvc.toml
put 644 "$here/debian/copyright" usr/share/doc/formsvc/copyright
put 644 "$here/debian/lintian-overrides" usr/share/lintian/overrides/formsvc
cat >"$stage/changelog" <<END
formsvc ($version) unstable; urgency=medium

  * See NEWS.gz beside this file.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
gzip -9n <"$stage/changelog" >"$stage/packed"
put 644 "$stage/packed" usr/share/doc/formsvc/changelog.gz
gzip -9n <"$tree/CHANGELOG.md" >"$stage/packed"
put 644 "$stage/packed" usr/share/doc/formsvc/NEWS.gz

control=$root/DEBIAN
mkdir "$control"
echo /etc/formsvc/formsvc.toml >"$control/conffiles"
for script in config postinst prerm postrm; do
    install -m 755 "$here/debian/$script" "$control/$script"
done
install -m 644 "$here/debian/templates" "$control/templates"
(cd "$root" && find etc usr -type f | LC_ALL=C sort | xargs md5sum) >"$control/md5sums"
# In KiB, and one for each folder: what du says depends on the file system.
size=$(find "$root/etc" "$root/usr" -type f -printf '%s\n' -o -printf '1024\n' |
    awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@MAINTAINER@/$maintainer/" \
    "$here/debian/control.in" >"$control/control"
find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
dpkg-deb --root-owner-group --threads-max=1 -Zxz "-z${PACK_LEVEL:-6}" --build "$root" \
    "$out/formsvc_${version}_$architecture.deb" >/dev/null
