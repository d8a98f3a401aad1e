"""The machinery of Whereabouts, with a package for each step from a student's file to the class report.

This file imports nothing, because a sandboxed worker loads it and must not load anything else with it.
"""
