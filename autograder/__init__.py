"""The code of Whereabouts, with a package for each step from a student's file to the class report.

This file imports nothing, because a sandboxed worker that loads this file must load nothing else.
"""
