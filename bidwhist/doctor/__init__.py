"""The doctor of a machine: attacks of all kinds, tried in a jailed process, and what is missing if one succeeds."""
