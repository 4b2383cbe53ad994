#!/usr/bin/env bash
# The steps of a release, as .github/workflows/release.yml takes them: bash packaging/release.sh STEP
#   tag TAG        whether TAG is that of this version, and the changelog has it
#   tools          installs what building needs on a runner: makensis on Windows, libraries of Qt on Linux
#   build OUT      makes the installers and the bill of materials into OUT
#   check          whether the program that was built has all that it needs (packaging/check.py)
#   stories OUT    whether the program of the Linux tarball in OUT passes the stories too; needs root, as the tests do
#   publish OUT    sums, the signed release file, and a draft of the release at GitHub
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/desktop/__init__.py")
folder=$root/build/dist/nanobot-desktop

sums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

tag() {
  [ "$1" = "v$version" ] || fail "The tag $1 is not that of version $version."
  grep -qF "## [$version] - " "$root/CHANGELOG.md" || fail "CHANGELOG.md has no section of $version with a date."
}

tools() {
  case $OSTYPE in
    linux*)
      # Those that packaging/linux/nfpm.yaml names for Debian.
      sudo apt-get update -qq
      sudo apt-get install -qq -y --no-install-recommends libegl1 libgl1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 \
        libxcb-keysyms1 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxkbcommon-x11-0 libxext6 libdbus-1-3
      ;;
    msys* | cygwin*)
      command -v makensis >/dev/null || choco install nsis --version 3.11.0 --yes --no-progress
      echo 'C:\Program Files (x86)\NSIS' >>"$GITHUB_PATH"
      ;;
  esac
}

build() {
  local out=$1 system
  bash "$root/packaging/build.sh" "$out"
  case $OSTYPE in linux*) system=linux ;; darwin*) system=macos ;; *) system=windows ;; esac
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) "$root/.venv-build/$venv_bin/python" \
    "$root/packaging/sbom.py" "$out/nanobot-desktop-$version-$system-$(uname -m).cdx.json"
}

tests_environment() {
  lock_setup
  install_locked "$root/.venv" any_python app window test-window
  finish_compiling
  unlock_setup
}

check() {
  local program
  tests_environment
  case $OSTYPE in
    linux*) program=$folder/nanobot-desktop ;;
    darwin*) program="$root/build/dist/Nanobot Desktop.app/Contents/MacOS/nanobot-desktop" ;;
    *) program=$folder/nanobot-desktop.com ;;
  esac
  "$root/.venv/$venv_bin/python" "$root/packaging/check.py" "$program" --only-self-test
}

# In the desktop session of the tests, with the Debian packages that they need.
stories() {
  local program
  program=$(mktemp -d)
  tar -xJf "$1/nanobot-desktop-$version-linux-x86_64.tar.xz" -C "$program"
  bash "$root/tests/run.sh" --version
  bash "$root/tests/desktop-session.sh" --secrets unlocked -- \
    "$root/.venv/bin/python" "$root/packaging/check.py" "$program/nanobot-desktop/nanobot-desktop"
}

# A draft: a person looks at it, and makes it public.
publish() {
  local out=$1 page notes
  notes=$(mktemp)
  page=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/releases/tag/$GITHUB_REF_NAME
  if [ -n "${NANOBOT_RELEASE_SIGNING_KEY:-}" ]; then
    tests_environment
    "$root/.venv/$venv_bin/python" "$root/packaging/release.py" sign "$version" "$(date -u +%F)" "$page" "$out/release.json"
  else
    say "There is no key to sign the release file with: programs that are out there hear nothing of this version."
  fi
  (cd "$out" && rm -f SHA256SUMS && sums -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
  sed -n "/^## \[$version\]/,/^## \[/p" "$root/CHANGELOG.md" | sed '1d; /^## \[/d' >"$notes"
  gh release create "$GITHUB_REF_NAME" --draft --verify-tag --title "Nanobot Desktop $version" \
    --notes-file "$notes" "$out"/*
}

step=${1:-}
case $step in
  tag | tools | build | check | stories | publish) "$@" ;;
  *) fail "Which step? tag, tools, build, check, stories or publish" ;;
esac
