/** Directories with sockets of ssh in the machine's temporary directory: one that was killed leaves its own to the next. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSocketDirectory, ownerOf } from '#local/kubeone/socket-directory.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'kubeloom-sockets-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

test('a directory of a kubeone that was killed is removed by the next one, and those of living processes and of others stay', async () => {
  const child = spawn('sleep', ['60']);
  const killed = `ko-${ownerOf(child.pid ?? 0)}-aaaaaa`;
  child.kill('SIGKILL');
  await once(child, 'exit');
  // The same number, of a process that started at another time.
  const earlier = `ko-${ownerOf(process.pid)?.replace(/-.*/, '-1')}-bbbbbb`;
  const own = `ko-${ownerOf(process.pid)}-cccccc`;
  const foreign = ['ko-dddddd', 'ko-1-x-y-eeeeee', 'koala'];
  for (const name of [killed, earlier, own, ...foreign]) mkdirSync(join(temporary, name, 'below'), { recursive: true });

  const made = makeSocketDirectory(temporary);

  expect(readdirSync(temporary).toSorted()).toEqual([own, ...foreign, basename(made)].toSorted());
});
