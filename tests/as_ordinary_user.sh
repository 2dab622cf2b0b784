#!/usr/bin/env bash
# As root: runs the tests that are given (those of grading, if none are) as an ordinary user, in a
# copy of this folder with an environment of its own, because neither may be open to others here.
set -euo pipefail
cd "$(dirname "$0")/.."
# An account that every Debian has and that nothing else uses; no number alone, because nbgrader's
# exchange asks for the user's name.
user=games
if [ "$(id -u)" != 0 ]; then
  echo "$0: needs root; as an ordinary user, run the tests themselves" >&2
  exit 2
fi
[ $# -gt 0 ] || set -- tests/attacks tests/grader
# Not in /tmp, which every sandbox has one of its own of.
folder=$(mktemp -d /var/tmp/glyphlab-ordinary-XXXXXX)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/home" "$folder/course"
git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$folder/course"
chown -R "$user:" "$folder"
ordinary() {
  setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups \
    env HOME="$folder/home" USER="$user" LOGNAME="$user" OMP_NUM_THREADS=1 PYTHONHASHSEED=0 "$@"
}
# The first interpreter that others may use.
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  if ordinary "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    cd "$folder/course"
    ordinary make --no-print-directory PYTHON="$python" .venv/.complete
    # Only root makes devices.
    ordinary .venv/bin/pytest -q -n 2 --dist loadfile -k "not [device]" "$@"
    exit
  fi
done
echo "$0: no Python 3.11 or newer that others than root may use" >&2
exit 2
