#!/usr/bin/env node
// A bot that needs nothing but Node: passes, leads at random, and tries to win unless its partner does.
//
//     cmd:./pass_and_follow.js

"use strict";

const PASS = 54;

function act(seen) {
  const legal = seen.legal;
  if (seen.phase === "call") {
    return legal.includes(PASS) ? PASS : legal[0];
  }
  if (seen.phase !== "play") {
    return legal[0];
  }
  if (seen.trick.length === 0) {
    return legal[Math.floor(seen.random[0] * legal.length)];
  }
  return seen.winner === seen.partner ? legal[0] : legal[legal.length - 1];
}

function answer(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

const lines = require("node:readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    if (!(message.protocols ?? []).includes(2)) {
      throw new Error("this bot speaks protocol 2");
    }
    answer({ type: "hello", protocol: 2, name: "pass and follow", version: "2.0" });
  } else if (message.type === "observe") {
    const actions = message.questions.map((question) => act(question.observation));
    answer({ type: "action", id: message.id, actions: actions });
  } else if (message.type === "quit") {
    lines.close();
  }
});
