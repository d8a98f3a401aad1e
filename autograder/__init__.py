"""The Whereabouts code: one package for each step from a student's file to the class report.

This file imports nothing, because a sandboxed worker that loads it must not load anything else.
"""
