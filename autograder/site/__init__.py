"""The handout as a static site, in which the course and Python run in a browser tab, with nothing to install.

    build            the archives of Python code, and all files of the site
    tab_pages        the pages: words for a tab, an editor, buttons (templates/), and the content policy
    libraries        the packages that the checks need, and compiled Python
    bytecode         compilation of Python modules for the tab
    pyodide_release  a release of Pyodide in a folder, fetched and checked by hash
    tab              the Python half of the worker, which runs in the browser, never here
    int64_numpy      64-bit integers in the browser
    script           the JavaScript for the page, its worker, and the service worker
    editor           CodeMirror and fflate (zip files) as one file, and the script that builds it

An instructor's site contains only what is in the handout, and is checked by `leaks`. The self-study edition also
contains hidden tests, reasons and solutions.
"""

MODULES_FOR_OTHER_PACKAGES = ("build",)
"""Modules that other packages of `autograder` may import."""
