"""Handout → a static site in which Python runs: the course in a browser tab, with nothing to install.

    build      the archives of Python code, and all files of the site
    tab_pages  the pages: words for a tab, an editor, buttons (templates/), and the policy of loading
    libraries  the packages that the checks need, and compiled Python
    tab        the Python half of the worker: runs in the browser, never here
    integers   64-bit integers in the browser
    script     the JavaScript of the page, of its worker, and of the service worker
    editor     CodeMirror as one file, and the script that builds it

A site of an instructor contains only the content of the handout, and passes through `leaks`. The edition for
self-study has hidden tests, reasons and solutions as well.
"""

PUBLIC_MODULES = ("build",)
"""The modules that other rooms may import."""
