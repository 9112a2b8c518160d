#!/bin/bash
# release.sh --url URL --maintainer 'NAME <EMAIL>' [--sign KEY] [--program PATH] [--out DIR]: makes the files of a release in
# target/release-files: for each architecture an archive, a Debian package and an archive for docker build; the source, the
# Homebrew formula, a bill of materials and SHA256SUMS. The same commit gives the same bytes.
#
# --url         where the files will be downloaded from; the formula says so
# --maintainer  who looks after the Debian package
# --sign        signs SHA256SUMS with this SSH key: ssh-keygen -Y verify -n file checks it
# --program     packs this static program for x86-64 instead of building for all targets
# --out         another folder, which is emptied
# The variable PACK_LEVEL, from 1 to 9, says how hard the files are compressed; 6 if it is not set.
#
# Needs git, cargo, rustup, musl-gcc (musl-tools) and python3. It fetches cargo-auditable, cargo-zigbuild and zig into
# target/release-tools. arm64 is left out, and said so, where cargo-zigbuild, zig or its standard library can't be had.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' packaging/release.sh >&2
    exit 2
}
out=target/release-files url='' maintainer='' key='' program=''
while [ $# -gt 0 ]; do
    case $1 in
    --program) program=$(realpath "$2") ;;
    --out) out=$2 ;;
    --url) url=$2 ;;
    --maintainer) maintainer=$2 ;;
    --sign) key=$2 ;;
    *) usage ;;
    esac
    shift 2
done
if [ -z "$url" ] || [ -z "$maintainer" ]; then usage; fi
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
version=$(sed -n '/^\[package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
native=x86_64-unknown-linux-musl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "release: $*" >&2; }

# The tools of a build, at versions that are known to work together.
ready_tools() {
    tools=$PWD/target/release-tools
    export PATH="$tools/bin:$tools/python/bin:$PATH"
    if [ ! -x "$tools/bin/cargo-auditable" ]; then
        cargo install --quiet --locked --root "$tools" cargo-auditable@0.7.7
    fi
}

# What a build for arm64 needs beside them. A release for x86-64 alone is made where it can't be had.
ready_arm64() {
    if [ ! -x "$tools/python/bin/cargo-zigbuild" ]; then
        python3 -m venv --clear "$tools/python" || return 1
        "$tools/python/bin/pip" install --quiet --disable-pip-version-check cargo-zigbuild==0.24.1 ziglang==0.17.1 ||
            return 1
    fi
    rustup target add aarch64-unknown-linux-musl
}

# No path of this machine is left in the program: neither in messages of panics nor in assertions of C.
forget_paths() {
    cargo fetch --quiet --locked
    home=${CARGO_HOME:-$HOME/.cargo}
    RUSTFLAGS="--remap-path-prefix=$PWD=." CFLAGS="-ffile-prefix-map=$PWD=."
    for crates in "$home"/registry/src/*/; do
        RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=${crates%/}=crates"
        CFLAGS="$CFLAGS -ffile-prefix-map=${crates%/}=crates"
    done
    export RUSTFLAGS CFLAGS
}

check_documentation() {
    say "checking the documentation of the source"
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps --document-private-items --target-dir target/release-build
}

build() { # build TARGET
    say "building for $1"
    local how=build
    if [ "$1" != "$native" ]; then
        how=zigbuild
        # Kernels for arm64 have pages of 4, 16 or 64 KiB: the allocator must be built for the largest.
        export JEMALLOC_SYS_WITH_LG_PAGE=16
    fi
    cargo auditable "$how" --locked --profile dist --target "$1" --target-dir target/release-build --bin formsvc
    built=target/release-build/$1/dist/formsvc
    for path in "$PWD" "$home" "$HOME"; do
        if [ "$path" != / ] && grep -qaF "$path" "$built"; then
            say "the program for $1 has the path $path in it"
            exit 1
        fi
    done
}

pack() { # pack FOLDER FILE: a folder of $work as FILE; what stands before the name in it is the folder's own name
    tar --create --directory "$work" --sort=name --format=gnu --mtime "@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner "${@:3}" "$1" | gzip -n "-${PACK_LEVEL:-6}" >"$out/$2"
}

pack_program() { # pack_program PROGRAM TARGET
    local machine=${2%%-*} architecture tree
    case $machine in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    esac
    tree=formsvc-$version-$machine-linux
    mkdir -p "$work/$tree/systemd" "$work/$tree/handbook"
    install -m 755 "$1" "$work/$tree/formsvc"
    install -m 644 LICENSE SECURITY.md CHANGELOG.md packaging/formsvc.toml packaging/litestream.yml "$work/$tree"
    # The chapters lie beside README there, and the pictures are left out.
    sed -e '/^<img /d; /^<\/*p>$/d' -e 's#](packaging/handbook/#](handbook/#g' README.md >"$work/$tree/README.md"
    install -m 644 packaging/handbook/*.md "$work/$tree/handbook"
    install -m 644 packaging/systemd/* "$work/$tree/systemd"
    cp -R "$work/completions" "$work/man" "$work/$tree"
    pack "$tree" "$tree.tar.gz"
    packaging/deb.sh "$work/$tree" "$version" "$architecture" "$maintainer" "$out"
    mkdir -m 755 "$work/docker-$machine"
    mkdir -m 700 "$work/docker-$machine/data"
    install -m 755 "$1" "$work/docker-$machine/formsvc"
    install -m 644 packaging/docker/Dockerfile "$work/docker-$machine/Dockerfile"
    pack . "formsvc-$version-$machine-docker.tar.gz" --directory "$work/docker-$machine"
}

sum() { # sum SUFFIX: of an archive that was packed
    sha256sum "$out/formsvc-$version-$1.tar.gz" | cut -d ' ' -f 1
}

formula() {
    local arm=
    if [ -e "$out/formsvc-$version-aarch64-linux.tar.gz" ]; then
        arm="s/@SHA256_AARCH64@/$(sum aarch64-linux)/"
    else
        arm='/on_arm do/,/end/d'
    fi
    sed -e "s#@URL@#${url%/}#; s/@VERSION@/$version/; s/@SHA256_SOURCE@/$(sum source)/" \
        -e "s/@SHA256_X86_64@/$(sum x86_64-linux)/" -e "$arm" packaging/homebrew/formsvc.rb.in
}

targets=$native
if [ -z "$program" ]; then
    if [ -n "$(git status --porcelain)" ]; then
        say "there are changes that are in no commit: a release is made of a commit"
        exit 1
    fi
    check_documentation
    ready_tools
    forget_paths
    rustup target add "$native"
    if ready_arm64; then
        targets="$targets aarch64-unknown-linux-musl"
    else
        say "cargo-zigbuild, zig or the standard library for arm64 can't be had: only x86-64 is built"
    fi
fi
rm -rf "$out"
mkdir -p "$out"
for target in $targets; do
    if [ -z "$program" ]; then
        build "$target"
        made=$built
    else
        made=$program
    fi
    if [ "$target" = "$native" ]; then
        # These are the same for all machines, and this machine can run this program.
        mkdir "$work/man" "$work/completions"
        "$made" man "$work/man" >/dev/null
        for shell in bash:formsvc.bash zsh:_formsvc fish:formsvc.fish; do
            "$made" completions "${shell%%:*}" >"$work/completions/${shell#*:}"
        done
    fi
    pack_program "$made" "$target"
done
git archive --format=tar --prefix="formsvc-$version/" HEAD | gzip -n "-${PACK_LEVEL:-6}" >"$out/formsvc-$version-source.tar.gz"
# shellcheck disable=SC2086 # a list of targets
packaging/sbom $targets >"$out/formsvc-$version.cdx.json"
formula >"$out/formsvc.rb"
(cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
if [ -n "$key" ]; then
    ssh-keygen -q -Y sign -n file -f "$key" "$out/SHA256SUMS"
fi
say "the files are in $out"
ls -l "$out" >&2
