/** Scripts of nodes in a directory with programs that only note their calls; it is new for each test. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { templates } from './playbook.ts';

export const scriptOf = (name: string) => readFileSync(join(templates, 'files', name), 'utf8');

export function scriptDirectory() {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'node-scripts-'));
    mkdirSync(join(directory, 'bin'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** A path in the directory. */
  const place = (path = '') => join(directory, path);

  /** A program that notes its call, and says and does what is given. */
  function program(name: string, text = ''): void {
    const path = place(`bin/${name}`);
    writeFileSync(path, `#!/bin/bash\necho "${name} $*" >>${place('calls')}\n${text}\n`);
    chmodSync(path, 0o755);
  }
  const calls = () => (existsSync(place('calls')) ? readFileSync(place('calls'), 'utf8') : '');
  /** Variables of a script that finds these programs first. */
  const environment = () => ({ PATH: `${place('bin')}:${process.env.PATH}` });

  function run(script: string, variables: Readonly<Record<string, string>>) {
    const env = { ...environment(), ...variables };
    return spawnSync('bash', [], {
      input: `${scriptOf('common.sh')}\n${scriptOf('packages.sh')}\n${scriptOf(script)}`,
      encoding: 'utf8',
      env,
    });
  }

  return { place, program, calls, environment, run };
}
