"""The site's files: pages, scripts, archives of Python code and, unless it is loaded from elsewhere, Pyodide."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

from autograder import handout
from autograder.course import ROOT, UserError, term_assignments
from autograder.files import write_files, zipped
from autograder.site import pyodide_release
from autograder.site.bytecode import STANDARD_LIBRARY, compiled
from autograder.site.libraries import needed_files, unpacked_wheels
from autograder.site.tab_pages import tab_pages

HERE = Path(__file__).parent
PYODIDE_MEGABYTES = 8.9
"""Number of megabytes that a browser downloads from a static host to run Pyodide's Python and numpy."""

PYODIDE_FILES = ("pyodide.js", "pyodide.asm.wasm", STANDARD_LIBRARY, pyodide_release.LOCK_FILE)
"""The Pyodide files that every site needs besides `pyodide.asm.js`. The last one lists the files of Pyodide's
packages."""

SCRIPTS = ("page.js", "worker.js", "service-worker.js")
"""The scripts that load files; each begins with the function in `fetched.js`."""

SELF_STUDY_FILES = """
    solutions/*.py tests/hidden/* tests/misconceptions/*.py autograder/course.py
    autograder/laptop/self_study.py autograder/grading/__init__.py autograder/grading/answer_key.py
    autograder/hints/*.py
""".split()
"""Files of the self-study edition, in addition to the handout."""


FilesByArchive = Mapping[str, Mapping[str, bytes]]
"""Archives of Python modules, each with its files' contents keyed by path."""


def build(
    out: Path,
    pyodide: str | None = None,
    self_study: bool = False,
    warn: Callable[[str], object] = warnings.warn,
) -> Path:
    """Write the site to a folder, replacing any earlier site; return the folder.

    `pyodide` is an address, a folder, or "fetch" to fetch the release; the default is the release's address. `warn`
    receives a message if the modules cannot be compiled. Raise HandoutError if the site would give an answer away,
    unless it is for self-study.
    """
    if out.exists() and not (out / "service-worker.js").is_file():
        raise UserError(f"{out} is in the site's place but is not a site: move it, or choose another --out")
    source = pyodide or pyodide_release.ADDRESS
    is_address = re.match(r"https?://", source) is not None
    folder = None if is_address else pyodide_release.fetch() if source == "fetch" else Path(source)
    release = {} if folder is None else _release(folder)
    files = _uncompiled_site_files(handout.contents(), self_study)
    if not self_study and (leaked := handout.leaks(files)):
        raise handout.HandoutError("the site would give answers away:\n" + "\n".join(leaked))
    archives: FilesByArchive = {"libraries": unpacked_wheels(), "course": _chosen(files, r"autograder/.*\.py")}
    if folder is None:
        archives = _compiled(archives, lambda: _core_folder_of(source), warn)
        pyodide_files, address = {}, source
    else:
        parts = {name: needed_files(release[name]) for name in release if name.endswith((".zip", ".whl"))}
        archives = _compiled({**archives, **parts}, lambda: folder, warn)
        pyodide_files = _pyodide_files(release, archives)
        address = next(iter(pyodide_files)).partition("/")[0] + "/"
    site = _site(files, archives, address, self_study)
    shutil.rmtree(out, ignore_errors=True)
    write_files({out / name: content for name, content in {**site, **pyodide_files}.items()})
    return out


def _compiled(archives: FilesByArchive, pyodide: Callable[[], Path], warn: Callable[[str], object]) -> FilesByArchive:
    """Return the archives with compiled modules; if compilation is impossible, warn and return them unchanged."""
    try:
        return compiled(archives, pyodide())
    except UserError as error:
        warn(
            "the site's Python modules are not compiled, so Python takes up to twice as long to start in a browser"
            f" tab: {error}"
        )
        return archives


def _core_folder_of(address: str) -> Path:
    """Return a folder with the core of the Pyodide release at an address."""
    if address != pyodide_release.ADDRESS:
        raise UserError(f"the version of Python at {address} is unknown; build with --pyodide DIR or --pyodide fetch")
    return pyodide_release.fetch_core()


def _chosen(files: Mapping[str, bytes], pattern: str) -> dict[str, bytes]:
    """Return the files whose paths match a pattern."""
    return {name: content for name, content in files.items() if re.fullmatch(pattern, name)}


def _uncompiled_site_files(shipped: Mapping[str, bytes], self_study: bool) -> dict[str, bytes]:
    """Return all of the site's content as searchable texts, keyed by path."""
    site_files = {
        f"site/{path.relative_to(HERE)}": path for path in HERE.rglob("*") if path.suffix in (".js", ".css", ".html")
    }
    site_files |= {f"autograder/site/{name}": HERE / name for name in ("__init__.py", "int64_numpy.py", "tab.py")}
    if self_study:
        site_files |= {
            path.relative_to(ROOT).as_posix(): path for pattern in SELF_STUDY_FILES for path in ROOT.glob(pattern)
        }
    return {**shipped, **{name: path.read_bytes() for name, path in site_files.items() if path.is_file()}}


def _site(files: Mapping[str, bytes], modules: FilesByArchive, pyodide: str, self_study: bool) -> dict[str, bytes]:
    """Return the contents of the site's files, other than Pyodide's own, keyed by path."""
    texts = r"tests/.*|solutions/.*|assignments/(?!figures/|writer/)\w+/(README\.md|(?!figures|lab)\w+\.py)"
    archives = {
        "libraries": modules["libraries"],
        "course": {**modules["course"], **_chosen(files, texts)},
        "pictures": _chosen(files, r"assignments/(\w+\.py|\w+/(figures|lab\w*)\.py|\w+/\w+\.csv)"),
        "writer": _chosen(files, r"assignments/(writer/.*|model/lab\.py|experiments\.py)"),
    }
    hashed = {f"{name}.zip": zipped(content) for name, content in archives.items()}
    scripts = {name: files["site/script/fetched.js"] + files[f"site/script/{name}"] for name in SCRIPTS}
    hashed |= {"worker.js": scripts["worker.js"], "codemirror.js": files["site/editor/codemirror.js"]}
    hashed |= {"tab.css": files["site/style/tab.css"]}
    names = {name: _hashed_name(name, content) for name, content in hashed.items()}
    lessons = [assignment.name for assignment in term_assignments()]
    config = {"files": names, "lessons": lessons, "alone": self_study, "pyodide": pyodide, "site": names["course.zip"]}
    sizes = {name: round(len(hashed[f"{name}.zip"]) / 1e6, 1) for name in ("libraries", "course")}
    config |= {"megabytes": {"Python with numpy": PYODIDE_MEGABYTES, **sizes}}
    page = f"const CONFIG = {json.dumps(config)};\n".encode() + scripts["page.js"]
    names["page.js"] = _hashed_name("page.js", page)
    pages = _chosen(files, rf"{handout.PAGES_FOLDER}/.*")
    pages = {name.removeprefix(f"{handout.PAGES_FOLDER}/"): content for name, content in pages.items()}
    site = tab_pages(pages, lessons, names, pyodide)
    site |= {names[name]: content for name, content in (hashed | {"page.js": page}).items()}
    site |= {f"stubs/{name}.py": files[f"assignments/{name}/{name}.py"] for name in lessons}
    site["codemirror-license.txt"] = (HERE / "editor" / "codemirror-license.txt").read_bytes()
    return site | {"service-worker.js": _service_worker(scripts["service-worker.js"], site, pyodide)}


def _hashed_name(name: str, content: bytes) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:12]}.{suffix}"


def _service_worker(script: bytes, site: Mapping[str, bytes], pyodide: str) -> bytes:
    """Return the service worker, with the names of the files that it caches and a version that depends on them."""
    version = hashlib.sha256(b"".join(name.encode() + content for name, content in sorted(site.items()))).hexdigest()
    constants = {"VERSION": version[:12], "FILES": sorted(site), "PYODIDE": pyodide}
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items()).encode() + script


def _release(folder: Path) -> dict[str, bytes]:
    """Return the contents of the files that a site needs from a Pyodide folder, keyed by name."""
    lock_file = folder / pyodide_release.LOCK_FILE
    if not lock_file.is_file():
        raise UserError(f"{folder} contains no Pyodide: {lock_file.name} is missing")
    packages = json.loads(lock_file.read_text("utf-8"))["packages"]
    needed = pyodide_release.with_dependencies(packages, pyodide_release.NEEDED_PACKAGES)
    wheels = [packages.get(name, {"file_name": f"the package {name}"})["file_name"] for name in sorted(needed)]
    scripts = sorted(path.name for path in folder.glob("pyodide.asm.*js"))  # .mjs in newer versions
    names = [*PYODIDE_FILES, *(scripts or ["pyodide.asm.js"]), *wheels]
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise UserError(f"Pyodide in {folder} is incomplete: {missing[0]} is missing")
    return {name: (folder / name).read_bytes() for name in names}


def _pyodide_files(release: Mapping[str, bytes], archives: FilesByArchive) -> dict[str, bytes]:
    """Return the contents of Pyodide's files, keyed by path in the site, with `archives` replacing Pyodide's own."""
    content = {name: zipped(archives[name]) if name in archives else release[name] for name in release}
    lock = json.loads(release[pyodide_release.LOCK_FILE])
    for package in lock["packages"].values():
        if package["file_name"] in content:
            package["sha256"] = hashlib.sha256(content[package["file_name"]]).hexdigest()
    content[pyodide_release.LOCK_FILE] = json.dumps(lock).encode()
    # Different content gets a different address, because browsers cache the files at an address.
    digest = hashlib.sha256(b"".join(content[name] for name in sorted(content))).hexdigest()
    return {f"pyodide-{digest[:12]}/{name}": each for name, each in content.items()}
