#!/usr/bin/env bash
# What `make TARGET` does. Values (SUBMISSIONS, FILE, …) come in the environment and are quoted wherever they are used.
set -euo pipefail
cd "$(dirname "$0")"
bin=.venv/bin

# Side by side, with one thread each for linear algebra: with more of them, processes wait for each other. What Python
# compiles is kept, even where the environment says otherwise: collecting then takes half the time.
side_by_side() { OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder "$@"; }

# .venv from the lock that is named, else from the one that it was set up from. requirements-grading.lock is half of
# requirements.lock: it grades, checks and builds zips, and makes no pages, pictures or tests.
set_up() {
    exec 9>.venv.lock
    if command -v flock >/dev/null; then  # macOS has none
        flock -n 9 || { echo "Another make is setting up .venv: waiting for it."; flock 9; }
    fi
    installed=$(cat .venv/packages 2>/dev/null || true)
    lock=${LOCK:-${installed##* }}
    case ${lock:=requirements.lock} in
        requirements.lock | requirements-grading.lock) ;;
        *) echo "LOCK is requirements.lock or requirements-grading.lock" >&2; exit 2 ;;
    esac
    [ "$(checksum "$lock")" = "$installed" ] || install_packages
    if [ ! .venv/ready -nt pyproject.toml ]; then  # the project itself, as a link to this checkout
        $bin/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps -e .
        touch .venv/ready
    fi
    exec 9>&-
}

checksum() { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"; }  # the latter on macOS

install_packages() {
    local python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Whereabouts needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
    echo "Setting up .venv, once. It takes a minute or two and up to 800 MB: most of that is Otter-Grader's, which brings Jupyter and pandas."
    "$python" -m venv --clear .venv
    $bin/python -m pip install --progress-bar off --disable-pip-version-check --no-deps --require-hashes -r "$lock" |
        awk -v all="$(grep -c == "$lock")" '/^Collecting/ {printf "\r  %d packages of about %d", ++n, all; fflush()}
            /^Installing/ {printf "\n  installing them\n"; fflush()}'
    checksum "$lock" >.venv/packages
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
    grade) $bin/autograder grade --out "${OUT:-results}" ${ASSIGNMENT:+--assignment "$ASSIGNMENT"} \
        ${JOBS:+--jobs "$JOBS"} -- "${SUBMISSIONS-tests/submissions}" ;;
    check) if [ "${FILE:-}" ]; then
            # That some test fails (exit code 1) is an answer, and no error of make's.
            $bin/autograder check ${ASSIGNMENT:+--assignment "$ASSIGNMENT"} -- "$FILE" || [ $? -eq 1 ]
        else
            $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"}
        fi ;;
    learn) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --alone ${SHOW:+--show "$SHOW"} ;;
    watch) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --watch ;;
    lesson) $bin/python -m autograder.checks ${ASSIGNMENT:+"$ASSIGNMENT"} --page ;;
    test) side_by_side ;;
    quick) side_by_side --quick ;;  # what starts no kernel, browser or batch
    lint)
        $bin/ruff check .
        $bin/ruff format --check -q .
        $bin/mypy ;;
    format) $bin/ruff format . ;;
    # Versions stay unless --upgrade is given; half of the packages grade, and Playwright only prints notebooks.
    lock)
        pin() { uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url -q "$@"; }
        pin --extra cluster --extra notebook --extra checkout --extra dev -o requirements.lock
        cp requirements.lock requirements-grading.lock
        pin --extra cluster --extra checkout --no-emit-package playwright --no-emit-package greenlet -o requirements-grading.lock ;;
    autograder) $bin/autograder build ${ASSIGNMENT:+"$ASSIGNMENT"} ;;
    handout | doctor) $bin/autograder "$1" ;;
    solutions) $bin/python -m autograder.handout.solutions ;;
    figures) $bin/python -m assignments.figures ;;
    experiment) $bin/python -m assignments.experiments ${ASSIGNMENT:+"$ASSIGNMENT"} ${FULL:+--full} ;;
    bench) $bin/python -m tests.grader.tools.bench ;;
    mutants) OPENBLAS_NUM_THREADS=1 $bin/python -m tests.grader.tools.mutants ${ASSIGNMENT:+"$ASSIGNMENT"} ;;
esac
