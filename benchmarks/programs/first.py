"""The first legal action, always: `python first.py VERSION [FIELD ...]`, the protocol's version and wanted fields."""

import json
import sys

version, fields = int(sys.argv[1]), sys.argv[2:]

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": version, **({"fields": fields} if fields else {})}
    elif message["type"] == "observe" and version == 1:
        answer = {"type": "action", "id": message["id"], "action": message["observation"]["legal"][0]}
    elif message["type"] == "observe":
        actions = [each["observation"]["legal"][0] for each in message["questions"]]
        answer = {"type": "action", "id": message["id"], "actions": actions}
    else:
        continue
    print(json.dumps(answer), flush=True)
