/** Runs playbooks of `templates/ansible` on an inventory; each line of output is passed on as it arrives. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobContext } from '../job-frame.ts';
import type { Command, CommandResult } from '../process.ts';

/** A boot script has 15 minutes, and so has a machine to become healthy: a task says nothing meanwhile. */
export const playbookQuietMs = 20 * 60_000;
/** Nodes worked on at once. */
const forks = 50;

export interface Play {
  /** File names. */
  readonly playbooks: readonly string[];
  readonly inventory: unknown;
  /** Name of the directory in the work directory. */
  readonly directoryName: string;
  readonly onLine: NonNullable<Command['onLine']>;
}

/**
 * Ansible takes every text of an inventory for a template and evaluates it on the runner, where the credentials are. What comes from a
 * user is a text and nothing else: those with a sign of a template are marked.
 */
export function inventoryText(inventory: unknown): string {
  const marked = (key: string, value: unknown) =>
    key !== '__ansible_unsafe' && typeof value === 'string' && /\{[{%#]/.test(value)
      ? { __ansible_unsafe: value }
      : value;
  return JSON.stringify(inventory, marked, 2);
}

/** Runs them, whatever the outcome. */
export async function playPlaybooks(
  context: Pick<JobContext, 'run' | 'templatesDirectory' | 'workDirectory'>,
  play: Play,
): Promise<CommandResult> {
  const templates = join(context.templatesDirectory, 'ansible');
  const directory = join(context.workDirectory, play.directoryName);
  await mkdir(directory, { mode: 0o700 });
  await writeFile(join(directory, 'inventory.json'), inventoryText(play.inventory), { mode: 0o600 });
  // Names of control sockets may have 108 characters at most, so their directory is not in the work directory.
  const sockets = await mkdtemp(join(tmpdir(), 'kl-'));
  try {
    return await context.run({
      label: 'ansible',
      program: process.env.KUBELOOM_ANSIBLE_PLAYBOOK ?? 'ansible-playbook',
      args: [...play.playbooks.map((name) => join(templates, name)), '-i', 'inventory.json', '-f', String(forks)],
      cwd: directory,
      environment: {
        ANSIBLE_CONFIG: join(templates, 'ansible.cfg'),
        ANSIBLE_SSH_CONTROL_PATH_DIR: sockets,
        ANSIBLE_LOCAL_TEMP: join(directory, 'tmp'),
        ANSIBLE_NOCOLOR: '1',
        LC_ALL: 'C.UTF-8',
      },
      onLine: play.onLine,
      quietMs: playbookQuietMs,
    });
  } finally {
    await rm(sockets, { recursive: true, force: true });
  }
}
