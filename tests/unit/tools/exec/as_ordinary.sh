#!/bin/sh
# Runs the tests of the sandbox as an ordinary account (uid 61234), in a mount namespace that root made.
# There it can read the interpreter of the tests, which may lie in root's home, and has a home in /home.
set -eu
umask 022
if [ "${BASE#/root/}" != "$BASE" ]; then
  kept=$(mktemp -d)
  mount --bind "$BASE" "$kept"
  mount -t tmpfs -o mode=0755 none /root
  mkdir -p "$BASE"
  mount --bind "$kept" "$BASE"
fi
mount -t tmpfs -o mode=0755 none /home
mkdir /home/ordinary
chown 61234:61234 /home/ordinary
folder=$(mktemp -d)
chown 61234:61234 "$folder"
if [ -e /dev/net/tun ]; then # for everybody, as distributions have it
  mknod "$folder/tun" c 10 200
  chmod 0666 "$folder/tun"
  mount --bind "$folder/tun" /dev/net/tun
fi
exec setpriv --reuid 61234 --regid 61234 --clear-groups --inh-caps=-all --bounding-set=-all \
  env HOME=/home/ordinary TMPDIR="$folder" "$PYTHON" -m pytest -q -p no:cacheprovider --basetemp "$folder/pytest" \
  tests/unit/tools/exec/test_walls.py tests/unit/tools/exec/test_sandbox.py tests/unit/tools/exec/test_network.py tests/unit/tools/exec/test_limits.py tests/unit/tools/exec/test_guarded.py
