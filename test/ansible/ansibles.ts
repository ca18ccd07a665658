/** The ansible-core versions of this machine: the one that comes with Kubeloom, and Debian's, which stands in for it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface AnsibleProgram {
  readonly version: string;
  readonly program: string;
}

/** Each version once; throws without any. */
export function ansibles(): readonly AnsibleProgram[] {
  const own = join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'bin/ansible-playbook');
  const onPath = execFileSync('bash', ['-c', 'type -aP ansible-playbook || true'], { encoding: 'utf8' }).trim();
  const programs = [own, ...onPath.split('\n')].filter((path) => path !== '' && existsSync(path));
  const found = new Map<string, AnsibleProgram>();
  for (const program of programs) {
    const version = /core (\d+\.\d+\.\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
    if (!found.has(version)) found.set(version, { version, program });
  }
  if (found.size === 0) throw new Error('these tests need ansible-playbook: scripts/setup.sh --tests');
  return [...found.values()];
}
