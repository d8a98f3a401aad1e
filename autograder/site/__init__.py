"""The handout as a static site, where the course and Python run in a browser tab with nothing to install.

    build            the archives of Python code, and all of the site's files
    tab_pages        the pages: wording for a tab, an editor, buttons (templates/), and the content policy
    libraries        the packages that the checks need, and compiled Python
    bytecode         compilation of Python modules for the tab
    pyodide_release  a Pyodide release in a folder, fetched and checked by hash
    tab              the Python half of the page's worker, which runs only in the browser
    int64_numpy      64-bit integers in the browser
    script           the JavaScript for the page, its worker, and the service worker
    editor           CodeMirror and fflate (zip files) as one file, and the script that builds it

An instructor's site contains only what is in the handout, and `leaks` checks it. The self-study edition also contains
hidden tests, reasons and solutions.
"""

MODULES_FOR_OTHER_PACKAGES = ("build",)
"""Modules that other `autograder` packages may import."""
