# Sourced by scripts/run and scripts/test: what they need, put in place. A second run finds everything there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=.venv

say() { printf '%s\n' "tmux-kernel: $*" >&2; }
die() { say "$*"; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "need root or sudo for: $*"
    fi
}

# need COMMAND:PACKAGE… – Debian packages for commands that are not there.
need() {
    local pair missing=()
    for pair in "$@"; do
        [ -e "${pair%%:*}" ] || command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "not a Debian or Ubuntu machine; please install: ${missing[*]}"
    say "installing ${missing[*]}"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

find_python() {
    local candidate
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null \
            && "$candidate" -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# make_venv EXTRAS – the checkout installed in its own virtual environment.
make_venv() {
    local extras=$1 python stamp
    python=$(find_python)
    if [ -z "$python" ]; then
        need /usr/lib/python3/dist-packages/ensurepip:python3-venv
        python=$(find_python)
    fi
    [ -n "$python" ] || die "Python 3.11 or newer with venv is needed; python3 here is $(python3 --version 2>&1)"
    stamp="$extras $("$python" --version) $(cat pyproject.toml kernelspec/kernel.json | cksum)"
    [ "$(cat "$venv/stamp-$extras" 2>/dev/null)" = "$stamp" ] && return
    say "setting up $venv"
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".${extras:+[$extras]}"
    printf '%s' "$stamp" >"$venv/stamp-$extras"
}
