// Starts a binary of contextd that npm installed for this platform.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

// run starts the program name with args in place of this process, as far as Node can: streams, signals and status pass through.
module.exports = function run(name, args) {
  const platform = `@contextd/${process.platform}-${process.arch}`;
  let folder;
  try {
    folder = path.dirname(require.resolve(`${platform}/package.json`));
  } catch {
    console.error(`error: the package "${platform}" is not installed`);
    console.error("hint: install without --omit=optional; platforms are linux, darwin and win32, each x64 and arm64");
    process.exit(2);
  }
  const program = path.join(folder, "bin", process.platform === "win32" ? `${name}.exe` : name);
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (err) => {
    console.error(`error: start "${program}": ${err.message}`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    } else {
      process.exit(code);
    }
  });
};
