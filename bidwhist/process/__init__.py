"""Processes that work for this one: started or forked, asked by a deadline, and ended with all that they started.

`child` is the mechanism under the workers of a run, under bots that are programs of their own, and under a check.
`python` is the other side of it, in a process that runs our Python code.
"""
