"""Processes that can neither harm nor find out anything: Linux's Landlock, seccomp and limits, and who starts them."""
