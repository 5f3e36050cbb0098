#!/usr/bin/env bash
# Runs the array standard's own tests on sluice.array_api.
#
#   ARRAY_API_TESTS=path/to/array-api-tests tools/array_api_tests.sh [pytest arguments]
#
# The path is a copy of github.com/data-apis/array-api-tests with its submodule; nothing
# is written there. What fails by intent is in python/tests/array_api_expected.txt: only
# other failures make this fail. Its requirements go to build/array-api-env, which has
# the Python of build/python-env: the extension is built for that.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${ARRAY_API_TESTS:-}
if [[ -z $suite || ! -e $suite/array_api_tests/stubs.py ]]; then
  echo "array_api_tests: ARRAY_API_TESTS is '$suite'; wanted a copy of" \
    "github.com/data-apis/array-api-tests, with its submodule" >&2
  exit 2
fi
root=$PWD
env=$root/build/array-api-env
if ! cmp -s "$suite/requirements.txt" "$env/requirements.txt"; then
  python=build/python-env/bin/python
  [[ -x $python ]] || python=python3
  "$python" -m venv "$env"
  "$env/bin/pip" install --quiet --disable-pip-version-check numpy \
    -r "$suite/requirements.txt"
  cp "$suite/requirements.txt" "$env/requirements.txt"
fi
cd "$suite"
export ARRAY_API_TESTS_MODULE=sluice.array_api ARRAY_API_TESTS_VERSION=2024.12
export PYTHONPATH=$root/build/release/python PYTHONDONTWRITEBYTECODE=1
export HYPOTHESIS_STORAGE_DIRECTORY=$root/build/array-api-hypothesis
# Expected failures are not looked into: finding their smallest example takes minutes.
export ARRAY_API_TESTS_XFAIL_MARK=${ARRAY_API_TESTS_XFAIL_MARK:-skip}
exec "$env/bin/python" -m pytest -p no:cacheprovider -q -W ignore --disable-deadline \
  --rootdir="$PWD" --xfails-file="$root/python/tests/array_api_expected.txt" \
  array_api_tests "$@"
