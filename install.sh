#!/bin/sh
# Installs, updates or removes the program `loopbreak`. No root rights are needed, and nothing but the program is written.
#
#   sh install.sh                      install the newest release to ~/.local/bin
#   sh install.sh --version 0.1.0      install this release
#   sh install.sh --to DIR             install to another folder
#   sh install.sh --uninstall          remove the program
#   sh install.sh --help               show all options
#
# Written for POSIX shells: dash, bash, ksh, BusyBox. Everything is in functions, and the last line starts them, so that a script
# that was cut off on the way does nothing.

set -eu

# Filled in when a release is made, with the address of its releases. Empty in a checkout.
RELEASES_URL=""

# The oldest glibc that the archives for glibc run on. Older systems, and those without glibc, get the static program.
OLDEST_GLIBC="2.17"

usage() {
    cat <<'END'
Installs, updates or removes the program `loopbreak`.

Usage: install.sh [OPTIONS]

Options:
  --version X     Install this version instead of the newest
  --to DIR        Install to this folder [default: ~/.local/bin]
  --base-url URL  Download from here. An address that ends with /releases has
                  the layout of GitHub releases; any other is a folder that
                  holds SHA256SUMS and the archives
  --target NAME   Install the archive of this platform, such as
                  x86_64-unknown-linux-musl [default: detected]
  --uninstall     Remove the program from the folder; settings, hooks and
                  recorded runs stay
  --help          Show this help

Environment:
  LOOPBREAK_BASE_URL, LOOPBREAK_VERSION, LOOPBREAK_INSTALL_DIR
                  Like --base-url, --version and --to

Exit codes: 0 done, 1 failed and nothing was changed, 2 wrong usage.
END
}

say() {
    printf '%s\n' "$*"
}

# Fails. All arguments but the first are hints.
fail() {
    printf 'install.sh: error: %s\n' "$1" >&2
    shift
    for hint in "$@"; do
        printf 'install.sh: hint: %s\n' "$hint" >&2
    done
    exit 1
}

wrong_usage() {
    printf 'install.sh: error: %s\n' "$1" >&2
    printf 'install.sh: hint: --help lists the options\n' >&2
    exit 2
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Removes what this run created. Runs at every end, also after a signal.
clean_up() {
    [ -z "$work" ] || rm -rf "$work"
    [ -z "$draft" ] || rm -f "$draft"
}

main() {
    base_url=${LOOPBREAK_BASE_URL:-$RELEASES_URL}
    version=${LOOPBREAK_VERSION:-}
    folder=${LOOPBREAK_INSTALL_DIR:-}
    target=
    action=install
    while [ $# -gt 0 ]; do
        case $1 in
            --version | --to | --base-url | --target)
                if [ $# -lt 2 ] || [ -z "$2" ]; then
                    wrong_usage "$1 needs a value"
                fi
                case $1 in
                    --version) version=$2 ;;
                    --to) folder=$2 ;;
                    --base-url) base_url=$2 ;;
                    --target) target=$2 ;;
                esac
                shift
                ;;
            --uninstall) action=uninstall ;;
            --help | -h)
                usage
                exit 0
                ;;
            *) wrong_usage "unexpected argument: $1" ;;
        esac
        shift
    done
    version=${version#v}
    case $version in
        *[!0-9A-Za-z.+-]*) wrong_usage "not a version: $version" ;;
    esac
    case $target in
        *[!0-9a-z_-]*) wrong_usage "not the name of a platform: $target" ;;
    esac
    if [ -z "$folder" ]; then
        [ -n "${HOME:-}" ] || fail "HOME is not set, so there is no default folder" "name one with --to DIR"
        folder=$HOME/.local/bin
    fi
    # A path that starts with a dash would be an option for other programs.
    case $folder in
        /*) ;;
        *) folder=$PWD/$folder ;;
    esac
    program=$folder/loopbreak

    work=
    draft=
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    "$action"
}

install() {
    if [ -d "$program" ]; then
        fail "$program is a folder" "name another folder with --to DIR"
    fi
    for needed in tar mktemp uname; do
        has "$needed" || fail "the program \`$needed\` is needed, but was not found"
    done
    find_downloader
    find_hasher
    [ -n "$base_url" ] || fail "no address to download from is known" \
        "use the install.sh of a release, or name the address of the releases with --base-url URL or LOOPBREAK_BASE_URL"
    base_url=${base_url%/}
    find_targets

    work=$(mktemp -d "${TMPDIR:-/tmp}/loopbreak-install.XXXXXXXXXX") || fail "cannot create a temporary folder"
    from=$(release_folder)
    say "downloading the list of archives from $from"
    download "$from/SHA256SUMS" "$work/SHA256SUMS"
    choose_archive
    say "downloading $archive"
    download "$from/$archive" "$work/archive.tar.gz"
    check_sum
    unpack
    put_in_place
    advise_on_path
}

# Sets `downloader`.
find_downloader() {
    if has curl; then
        downloader=curl
    elif has wget; then
        downloader=wget
    else
        fail "neither \`curl\` nor \`wget\` was found" "install one of them, or download the archive by hand"
    fi
}

# Sets `hasher`.
find_hasher() {
    if has sha256sum; then
        hasher=sha256sum
    elif has shasum; then
        hasher="shasum -a 256"
    elif has openssl; then
        hasher="openssl dgst -sha256 -r"
    else
        fail "no program to check the download was found" "install sha256sum, shasum or openssl"
    fi
}

# Sets `targets`: the platforms whose archives work here, the best one first.
find_targets() {
    if [ -n "$target" ]; then
        targets=$target
        return
    fi
    system=$(uname -s)
    machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) unknown_platform ;;
    esac
    case $system in
        Linux)
            # 32-bit programs on a 64-bit kernel.
            if has getconf && [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 32 ]; then
                machine="32-bit $machine"
                unknown_platform
            fi
            targets=$machine-unknown-linux-musl
            if has_recent_glibc; then
                targets="$machine-unknown-linux-gnu $targets"
            fi
            ;;
        Darwin)
            # A shell that is translated for the processor says that the processor is the other one.
            if [ "$machine" = x86_64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then
                machine=aarch64
            fi
            targets=$machine-apple-darwin
            ;;
        *) unknown_platform ;;
    esac
}

unknown_platform() {
    fail "there is no archive for this platform: $(uname -s) on $machine" \
        "build from source with \`cargo install\`; on Windows, unpack the archive for x86_64-pc-windows-msvc by hand"
}

has_recent_glibc() {
    has getconf || return 1
    found=$(getconf GNU_LIBC_VERSION 2>/dev/null) || return 1
    found=${found#glibc }
    case $found in
        *.*) ;;
        *) return 1 ;;
    esac
    minor=${found#*.}
    minor=${minor%%.*}
    case ${found%%.*}$minor in
        *[!0-9]*) return 1 ;;
    esac
    [ "${found%%.*}" -gt "${OLDEST_GLIBC%%.*}" ] ||
        { [ "${found%%.*}" -eq "${OLDEST_GLIBC%%.*}" ] && [ "$minor" -ge "${OLDEST_GLIBC#*.}" ]; }
}

# Prints the address of the folder that holds the files of the release.
release_folder() {
    case $base_url in
        */releases)
            if [ -n "$version" ]; then
                say "$base_url/download/v$version"
            else
                say "$base_url/latest/download"
            fi
            ;;
        *) say "$base_url" ;;
    esac
}

# Downloads a file, or fails with the reason.
download() {
    url=$1
    file=$2
    status=0
    case $downloader in
        curl)
            # A server with https must not redirect to one without.
            case $url in
                https://*) protocols="=https" ;;
                *) protocols="=http,https" ;;
            esac
            code=$(curl --silent --show-error --location --proto "$protocols" --connect-timeout 20 --retry 2 \
                --write-out '%{http_code}' --output "$file" -- "$url" 2>"$work/errors") || status=$?
            case $code in
                404 | 410) not_found ;;
                2??) ;;
                [1345]??) fail "the server answered with status $code: $url" ;;
            esac
            ;;
        wget)
            # Only GNU wget knows its version and these options. That of BusyBox has its own limits of time.
            limits=
            if wget --version >/dev/null 2>&1; then
                limits="--tries=2 --timeout=20"
            fi
            # shellcheck disable=SC2086 # two words
            wget -q $limits -O "$file" "$url" 2>"$work/errors" || status=$?
            if grep -q ' 404 ' "$work/errors"; then
                not_found
            elif [ "$status" -eq 8 ]; then
                fail "the server did not send $url: it does not exist, or the server has an error" \
                    "check the address and the version"
            fi
            ;;
    esac
    if [ "$status" -ne 0 ]; then
        reason=$(head -n 1 "$work/errors")
        fail "cannot download $url: ${reason:-$downloader failed with code $status}" \
            "check the network and the address; behind a proxy, set https_proxy"
    fi
    [ -s "$file" ] || fail "the server sent an empty file: $url"
}

not_found() {
    if [ -n "$version" ]; then
        fail "there is no such file on the server: $url" "is there a version $version? Without --version, the newest is installed"
    fi
    fail "there is no such file on the server: $url" "check the address; LOOPBREAK_BASE_URL and --base-url set it"
}

# Sets `archive` and `expected`, the sum that it has to have.
choose_archive() {
    for candidate in $targets; do
        # Lines are "SUM  NAME", or "SUM *NAME". Names are compared as a whole, so no line can name a path.
        found=$(sed -n "s/^[0-9a-f]\{64\} [ *]\(loopbreak-[0-9A-Za-z.+-]*-$candidate\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
        if [ -n "$version" ]; then
            found=$(printf '%s\n' "$found" | grep -Fx "loopbreak-$version-$candidate.tar.gz" || :)
        fi
        [ -n "$found" ] || continue
        if [ "$(printf '%s\n' "$found" | wc -l)" -ne 1 ]; then
            fail "the server has several versions: $(printf '%s\n' "$found" | tr '\n' ' ')" "choose one with --version X"
        fi
        archive=$found
        expected=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1; exit }' "$work/SHA256SUMS")
        return
    done
    fail "the release has no archive for $(printf '%s' "$targets" | sed 's/ / or /g')${version:+ in version $version}" \
        "$from/SHA256SUMS lists the archives; build from source with \`cargo install\`"
}

check_sum() {
    # The file is given by its path, so that a name cannot be read as an option.
    sum=$($hasher "$work/archive.tar.gz") || fail "cannot compute the checksum of $archive"
    sum=${sum%% *}
    # GNU programs mark names that they had to change.
    sum=${sum#\\}
    if [ "$sum" != "$expected" ]; then
        fail "the checksum of $archive is wrong, so it was not installed (expected $expected, got $sum)" \
            "the download was damaged or changed on the way; try again, and report it if it happens again"
    fi
}

# Unpacks the program into `work`. It is the only file that is read, and tar writes it to standard output: no name in the archive
# can lead to another place.
unpack() {
    name=${archive%.tar.gz}/loopbreak
    if ! tar -xzOf "$work/archive.tar.gz" "$name" >"$work/loopbreak" 2>"$work/errors" || ! [ -s "$work/loopbreak" ]; then
        reason=$(head -n 1 "$work/errors")
        fail "the archive is damaged: cannot unpack $name${reason:+: $reason}"
    fi
}

# Moves the program to its place in one step, so that a hook that starts meanwhile finds the old program or the new one.
put_in_place() {
    mkdir -p "$folder" 2>"$work/errors" || fail "cannot create $folder: $(head -n 1 "$work/errors")" \
        "name a folder that you can write to with --to DIR"
    draft=$(mktemp "$folder/.loopbreak.XXXXXXXXXX" 2>"$work/errors") || {
        draft=
        fail "cannot write to $folder: $(head -n 1 "$work/errors")" "name a folder that you can write to with --to DIR"
    }
    cat "$work/loopbreak" >"$draft" 2>"$work/errors" || fail "cannot write to $folder: $(head -n 1 "$work/errors")"
    chmod 755 "$draft"
    # An archive for another platform must not replace a program that works.
    installed=$("$draft" -V 2>"$work/errors") || fail "the program does not start here: $(head -n 1 "$work/errors")" \
        "choose another archive with --target, such as --target ${targets##* }"
    mv -f "$draft" "$program" 2>"$work/errors" || fail "cannot replace $program: $(head -n 1 "$work/errors")"
    draft=
    say "installed $installed to $program"
}

advise_on_path() {
    case :${PATH:-}: in
        *:"$folder":*)
            first=$(command -v loopbreak || :)
            if [ -n "$first" ] && [ "$first" != "$program" ]; then
                say "note: another loopbreak comes first on the PATH: $first"
            fi
            ;;
        *)
            say "note: $folder is not on the PATH."
            say "Add it in the startup file of your shell, and in this one:"
            say "    export PATH=\"$folder:\$PATH\""
            ;;
    esac
    say "next: loopbreak demo, loopbreak analyze, loopbreak hook install"
}

uninstall() {
    if [ -d "$program" ] || ! [ -e "$program" ] && ! [ -L "$program" ]; then
        fail "there is no loopbreak in $folder" "name its folder with --to DIR"
    fi
    # Another program of the same name is not removed. One that does not start is.
    if shown=$("$program" -V 2>/dev/null) && [ "${shown#loopbreak }" = "$shown" ]; then
        fail "$program is another program: it calls itself $shown"
    fi
    rm -f "$program" 2>/dev/null || fail "cannot remove $program" "check the rights of $folder"
    say "removed $program"
    say "note: hooks in the settings of agents stay. \`loopbreak hook uninstall\` removes"
    say "    them; if you have not run it, install the program again first"
    say "note: recorded runs stay in ${XDG_STATE_HOME:-${HOME:-~}/.local/state}/loopbreak"
}

main "$@"
