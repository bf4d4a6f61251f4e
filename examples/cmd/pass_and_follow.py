#!/usr/bin/env python3
"""A bot that needs nothing but Python: passes, leads at random, and tries to win unless its partner does.

cmd:./pass_and_follow.py
"""

import json
import sys

PASS = 54


def act(seen):
    legal = seen["legal"]
    if seen["phase"] == "call":
        return PASS if PASS in legal else legal[0]
    if seen["phase"] != "play":
        return legal[0]
    if not seen["trick"]:
        return legal[int(seen["random"][0] * len(legal))]
    return legal[0] if seen["winner"] == seen["partner"] else legal[-1]


def answer(message):
    print(json.dumps(message), flush=True)


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if 2 not in message.get("protocols", []):
                sys.exit("this bot speaks protocol 2")
            answer({"type": "hello", "protocol": 2, "name": "pass and follow", "version": "2.0"})
        elif message["type"] == "observe":
            actions = [act(question["observation"]) for question in message["questions"]]
            answer({"type": "action", "id": message["id"], "actions": actions})
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
