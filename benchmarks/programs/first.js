// The first legal action, always: `node first.js VERSION [FIELD ...]`, the protocol's version and wanted fields.

"use strict";

const version = Number(process.argv[2]);
const fields = process.argv.slice(3);

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

const lines = require("node:readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "hello", protocol: version, ...(fields.length ? { fields } : {}) });
  } else if (message.type === "observe" && version === 1) {
    say({ type: "action", id: message.id, action: message.observation.legal[0] });
  } else if (message.type === "observe") {
    say({ type: "action", id: message.id, actions: message.questions.map((each) => each.observation.legal[0]) });
  } else if (message.type === "quit") {
    lines.close();
  }
});
