"""Idea: patch the grader's modules that the worker has loaded, so that every reply is a success.

Stopped by: what the worker says is a value and nothing else; whether it is right is decided elsewhere.
"""

from autograder.protocol import call, codec

print("TRIED patching the worker's own modules")
success = codec.encode(True)
call._changed = lambda before, after: ()
call.perform = lambda module, asked: call.Reply(success, lines=0)
sys.modules["autograder.checks.expect"] = types.ModuleType("expect")
sys.modules["autograder.checks.wrong"] = types.ModuleType("wrong")
