/** Runs playbooks of `templates/ansible` on inventories; each event is passed on as it arrives. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlaybookEvent } from '#domain/observed/playbook-event.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import type { JobContext } from '../job-frame.ts';
import type { CommandResult } from '../process.ts';
import { readPlaybookLine } from './playbook-events.ts';

/** A boot script has 15 minutes, and so has a machine to become healthy: a task says nothing meanwhile. */
export const playbookQuietMs = 20 * 60_000;
/** Nodes worked on at once. */
const forks = 50;

export interface Play {
  /** File names. */
  readonly playbooks: readonly string[];
  readonly inventory: unknown;
  /** Hosts of the inventory that are not visited. @default none */
  readonly without?: readonly string[];
  readonly onEvent: (event: PlaybookEvent) => void;
}

export interface PlayResult {
  readonly code: number;
  /** The last words of Ansible itself. */
  readonly words: string;
}

type Around = Pick<JobContext, 'run' | 'runner' | 'templatesDirectory' | 'workDirectory'>;

/**
 * Ansible 2.14 takes every text of an inventory for a template and evaluates it on the runner, where the credentials are. What comes from
 * a user or a machine is a text and nothing else: those with a sign of a template are marked.
 */
export function inventoryText(inventory: unknown): string {
  const marked = (key: string, value: unknown) =>
    key !== '__ansible_unsafe' && typeof value === 'string' && /\{[{%#]/.test(value)
      ? { __ansible_unsafe: value }
      : value;
  return JSON.stringify(inventory, marked, 2);
}

/** Playbooks that are run one after another: they share connections and what is known of host keys. */
export class Playbooks {
  readonly #context: Around;
  readonly #directory: string;
  readonly #sockets: string;

  private constructor(context: Around, directory: string, sockets: string) {
    this.#context = context;
    this.#directory = directory;
    this.#sockets = sockets;
  }

  /** `name`: of a new directory in the work directory. */
  static async open(context: Around, name: string): Promise<Playbooks> {
    const directory = join(context.workDirectory, name);
    await mkdir(directory, { mode: 0o700 });
    // Names of control sockets may have 108 characters at most, so their directory is not in the work directory.
    return new Playbooks(context, directory, await mkdtemp(join(tmpdir(), 'kl-')));
  }

  /** Runs them, whatever the outcome. */
  async play({ playbooks, inventory, without = [], onEvent }: Play): Promise<PlayResult> {
    const templates = join(this.#context.templatesDirectory, 'ansible');
    await writeFile(join(this.#directory, 'inventory.json'), inventoryText(inventory), { mode: 0o600 });
    await writeFile(join(this.#directory, 'limit'), ['all', ...without.map((name) => `!${name}`), ''].join('\n'));
    // Words of machines cannot have it, so they cannot be taken for events.
    const mark = randomBytes(16).toString('hex');
    let fault: string | undefined;
    const result = await this.#context.run({
      label: 'ansible',
      tool: 'ansible',
      program: this.#context.runner.ansiblePlaybook,
      args: [
        ...playbooks.map((name) => join(templates, name)),
        ...['-i', 'inventory.json', '-f', String(forks)],
        ...(without.length > 0 ? ['--limit', '@limit'] : []),
      ],
      cwd: this.#directory,
      environment: {
        ANSIBLE_CONFIG: join(templates, 'ansible.cfg'),
        ANSIBLE_SSH_CONTROL_PATH_DIR: this.#sockets,
        ANSIBLE_LOCAL_TEMP: join(this.#directory, 'tmp'),
        ANSIBLE_NOCOLOR: '1',
        ANSIBLE_SSH_EXECUTABLE: join(templates, 'bounded-ssh.sh'),
        KUBELOOM_EVENT_MARK: mark,
        LC_ALL: 'C.UTF-8',
      },
      onLine(line, stream) {
        const { event, problem, words } = readPlaybookLine(line, mark, stream);
        if (event !== undefined) onEvent(event);
        fault ??= problem;
        return words;
      },
      quietMs: playbookQuietMs,
    });
    return { code: result.code || (fault === undefined ? 0 : 1), words: fault ?? lastWords(result) };
  }

  async close(): Promise<void> {
    await rm(this.#sockets, { recursive: true, force: true });
  }
}

function lastWords({ code, stdout, stderr }: CommandResult): string {
  const last = (stderr.trim() || stdout.trim()).split('\n').slice(-3).join('\n');
  return printableText(last, 2000) || `ansible-playbook ended with ${code}`;
}
