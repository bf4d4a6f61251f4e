"""The identity of a run: what decides its rows, in a digest that every file made of it carries.

A file whose digest is another was made with another seed, other rules, other bots or by another version, and is none of
the run's, wherever it lies and whatever it is called.
"""

import hashlib
from typing import Any

import msgspec

from bidwhist.results.manifest import Manifest
from bidwhist.results.schema import Part


def identity_of(manifest: Manifest, part: Part) -> bytes:
    """Digest, in hex, of all that decides the rows of the pairing of a part of a run, but for the schedule.

    It covers the commitment to the seed, the rules and the format, the versions of rules, observation and schema, and
    the bots of both sides: name, spec and hash, and what comes of their faults; and when a run stops early, as its
    parts are cut for it.
    """
    return _digest(
        {
            "seed": manifest.seed_commitment,
            "format": manifest.format,
            "rules": manifest.rule_set().as_dict(),
            "versions": [manifest.versions[each] for each in ("rules", "observation", "schema")],
            "bots": [manifest.bots[bot] for bot in manifest.bots_of(part)],
            **({} if manifest.stop is None else {"stop": manifest.stop}),
        }
    )


def identity_of_files(manifest: Manifest, seals: list[bytes]) -> str:
    """Digest, in hex, of a run's bots, of the faults that they may have, and of files of it by their seals."""
    facts = {"bots": manifest.bots, "most_faults": manifest.most_faults, "seals": [seal.decode() for seal in seals]}
    if manifest.stop is not None:
        facts |= {"stop": manifest.stop, "outcome": manifest.outcome}
    return _digest(facts).decode()


def _digest(facts: dict[str, Any]) -> bytes:
    return hashlib.blake2b(msgspec.json.encode(facts, order="sorted"), digest_size=32).hexdigest().encode()
