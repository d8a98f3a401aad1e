"""Handout → a static site in which Python runs: the course in a browser tab, with nothing to install.

    build      the pages, the archives of Python code, and all files beside them
    libraries  the packages that the checks need, and compiled Python
    tab        the Python half of the worker: runs in the browser, never here
    script     the JavaScript of the page, of its worker, and of the service worker
    editor     CodeMirror as one file, and the script that builds it

A site of an instructor contains only the content of the handout, and passes through `leaks`. The edition for
self-study has hidden tests, reasons and solutions as well.
"""

PUBLIC_MODULES = ("build",)
"""The modules that other rooms may import."""
