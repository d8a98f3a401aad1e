#!/usr/bin/env bash
# What `make TARGET` does. Values (SUBMISSIONS, FILE, …) come in the environment and are quoted wherever they are used.
set -euo pipefail
cd "$(dirname "$0")"
bin=.venv/bin

# Side by side, with one thread each for linear algebra: with more of them, processes wait for each other. What Python
# compiles is kept, even where the environment says otherwise: collecting then takes half the time.
side_by_side() { OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder "$@"; }

# .venv from the lock that LOCK names, else from the lock that it was set up from. requirements-grading.lock is half
# of requirements.lock: it grades, checks and builds zips, and makes no pages, pictures or tests. Nothing is written
# where everything is installed: the checkout may belong to somebody else.
set_up() {
    is_set_up && return
    exec 9>.venv.lock
    if command -v flock >/dev/null; then  # macOS has none
        flock -n 9 || { echo "Another make is setting up .venv: waiting for it."; flock 9; }
    fi
    if ! is_set_up; then install; fi  # not `||`, under which bash ignores failures
    exec 9>&-
}

is_set_up() {
    installed=$(cat .venv/packages 2>/dev/null || true)
    lock=${LOCK:-${installed##* }}
    case ${lock:=requirements.lock} in
        requirements.lock | requirements-grading.lock) ;;
        *) echo "LOCK is requirements.lock or requirements-grading.lock" >&2; exit 2 ;;
    esac
    [ "$(checksum "$lock")" = "$installed" ] && [ .venv/ready -nt pyproject.toml ]
}

install() {
    [ "$(checksum "$lock")" = "$installed" ] || install_packages
    if [ ! .venv/ready -nt pyproject.toml ]; then  # the project itself, as a link to this checkout
        if [ -x $bin/uv ]; then
            $bin/uv pip install -q --no-build-isolation --no-deps -e . --python $bin/python
        else
            $bin/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
        fi
        touch .venv/ready
    fi
}

checksum() { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"; }  # the latter on macOS

# uv installs a lock in seconds; it comes into .venv itself, by a lock of its own. Where it cannot (a machine that it has
# no build for, an index that only pip is set up for), pip installs the same packages by the same hashes in minutes.
install_packages() {
    local python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Whereabouts needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
    echo "Setting up .venv, once: up to 800 MB, most of them Otter-Grader's, which brings Jupyter and pandas."
    "$python" -m venv --clear .venv
    if $bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements-setup.lock &&
        $bin/uv pip install --no-deps --require-hashes -r "$lock" --python $bin/python 2>&1 | progress "$lock"; then :; else
        echo "  uv cannot install here, so pip does: that takes some minutes"
        $bin/python -m pip install --progress-bar off --disable-pip-version-check --no-deps --require-hashes -r "$lock" |
            progress "$lock"
    fi
    checksum "$lock" >.venv/packages
}

# What uv or pip says while it works, line by line, without the list of packages at the end.
progress() {
    local line count=0 all
    all=$(grep -c == "$1")
    while IFS= read -r line; do
        case $line in
            Collecting*) count=$((count + 1)); [ $((count % 10)) != 0 ] || echo "  $count packages of about $all" ;;
            Installing*) echo "  installing them" ;;
            Downloading* | Resolved* | Prepared* | Installed* | error:* | *"hash"*) echo "  $line" ;;
        esac
    done
}

set_up
case $1 in lint | format | quick | test | figures)
    if [ "$lock" != requirements.lock ]; then
        echo "This needs all packages, and .venv has those that grade: make setup LOCK=requirements.lock"
        exit 2
    fi ;;
esac
case $1 in
    setup) ;;
    # With TYPED_MAKE, an error names ASSIGNMENT= and not --assignment.
    grade) TYPED_MAKE=1 $bin/autograder grade --out "${OUT:-results}" ${ASSIGNMENT:+--assignment "$ASSIGNMENT"} \
        ${JOBS:+--jobs "$JOBS"} -- "${SUBMISSIONS-tests/submissions}" ;;
    check) if [ "${FILE:-}" ]; then
            # That some test fails (exit code 1) is an answer, and no error of make's.
            TYPED_MAKE=1 $bin/autograder check ${ASSIGNMENT:+--assignment "$ASSIGNMENT"} -- "$FILE" || [ $? -eq 1 ]
        else
            $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"}
        fi ;;
    learn) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --alone ${SHOW:+--show "$SHOW"} ;;
    watch) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --watch ${ALONE:+--alone} ;;
    lesson) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --page ${ALONE:+--alone} ;;
    test) side_by_side ;;
    quick) side_by_side --quick ;;  # what starts no kernel, browser or batch
    lint)
        $bin/ruff check .
        $bin/ruff format --check -q .
        $bin/mypy ;;
    format) $bin/ruff format . ;;
    # Versions stay unless UPGRADE=1, or UPGRADE=numpy for one package; half of the packages grade, and Playwright only
    # prints notebooks.
    lock)
        case ${UPGRADE:-} in
            '') upgrade=() ;;
            1) upgrade=(--upgrade) ;;
            *) upgrade=(--upgrade-package "$UPGRADE") ;;
        esac
        pin() {
            $bin/uv pip compile "$@" --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
                --no-emit-index-url -q ${upgrade[@]+"${upgrade[@]}"}
        }
        pin pyproject.toml --extra grading --extra cluster --extra notebook --group checkout --group dev -o requirements.lock
        pin --group pyproject.toml:setup -o requirements-setup.lock
        cp requirements.lock requirements-grading.lock
        upgrade=()
        pin pyproject.toml --extra grading --extra cluster --group checkout --no-emit-package playwright \
            --no-emit-package greenlet -o requirements-grading.lock ;;
    autograder) $bin/autograder build ${ASSIGNMENT:+"$ASSIGNMENT"} ;;
    handout | doctor) $bin/autograder "$1" ;;
    site)
        $bin/autograder site --out "${OUT:-dist/site}" ${PYODIDE:+--pyodide "$PYODIDE"} ${ALONE:+--alone}
        if [ "${SERVE:-}" ]; then
            exec $bin/python -m http.server --bind 127.0.0.1 --directory "${OUT:-dist/site}" 8000
        fi ;;
    solutions) $bin/python -m autograder.handout.solution_pages ${ASSIGNMENT:+"$ASSIGNMENT"} ${ALL:+--all} ;;
    figures) $bin/python -m assignments.figures ;;
    experiment) $bin/python -m assignments.experiments ${ASSIGNMENT:+"$ASSIGNMENT"} ${FULL:+--full} ;;
    bench) $bin/python -m tests.grader.tools.bench ;;
    mutants) OPENBLAS_NUM_THREADS=1 $bin/python -m tests.grader.tools.mutants ${ASSIGNMENT:+"$ASSIGNMENT"} ;;
esac
