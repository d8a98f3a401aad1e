"""Idea: system calls by their 32-bit numbers, which a filter for 64 bits may not know.

Stopped by the system: seccomp: calls of another architecture end the process.
"""

import mmap
import platform

print("TRIED a 32-bit system call", flush=True)
GETPID = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret


def call_it(name, args):
    if platform.machine() != "x86_64":
        raise NotImplementedError
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(GETPID)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if ctypes.CFUNCTYPE(ctypes.c_int)(address)() == os.getpid():
        print("ESCAPED by a 32-bit system call", flush=True)
    raise NotImplementedError


in_every_call(call_it)
