/** Ansible on this machine alone: a playbook of one task, with the configuration and templates of the product. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const templates = join(import.meta.dirname, '../../templates/ansible');

type Event = { readonly event: string } & Readonly<Record<string, unknown>>;

export interface LocalRun {
  readonly code: number;
  readonly events: readonly Event[];
}

/** Throws when Ansible is not there: then nothing of this can be tested. */
export function needAnsible(): void {
  // To ask it for its version takes it half a second.
  try {
    execFileSync('bash', ['-c', 'type ansible-playbook'], { stdio: 'ignore' });
  } catch {
    throw new Error('these tests need ansible-playbook: apt-get install ansible-core');
  }
}

/** Runs tasks on the hosts of an inventory, all of which are this machine. */
export async function runLocally(tasks: readonly object[], inventory: object): Promise<LocalRun> {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-ansible-'));
  try {
    // Next to the templates, as the real playbooks are, so that lookups find them.
    cpSync(join(templates, 'templates'), join(directory, 'templates'), { recursive: true });
    const play = { name: 'Try', hosts: 'all', gather_facts: false, connection: 'local', tasks };
    writeFileSync(join(directory, 'playbook.yml'), JSON.stringify([play]));
    writeFileSync(join(directory, 'inventory.json'), JSON.stringify(inventory));
    return await new Promise((resolve) => {
      const env = { ...process.env, ANSIBLE_CONFIG: join(templates, 'ansible.cfg') };
      const options = { cwd: directory, env };
      execFile('ansible-playbook', ['playbook.yml', '-i', 'inventory.json'], options, (error, stdout) => {
        const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
        const events: Event[] = lines.map((line) => JSON.parse(line));
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, events });
      });
    });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A template of ours, rendered for each host of the inventory; the variable `template` of a host may name another. */
export async function render(template: string, inventory: object): Promise<Readonly<Record<string, string>>> {
  const text = `{{ lookup('template', template | default('${template}')) | b64encode }}`;
  const { events } = await runLocally(
    [{ name: 'Render', 'ansible.builtin.raw': `echo "fact: text=${text}"` }],
    inventory,
  );
  const rendered = events.filter(({ event }) => event === 'facts');
  if (rendered.length === 0) throw new Error(`${template} was not rendered: ${JSON.stringify(events)}`);
  return Object.fromEntries(
    rendered.map(({ host, lines }) => {
      const [, encoded = ''] = /^text=(.*)/.exec(String(lines)) ?? [];
      return [String(host), Buffer.from(encoded, 'base64').toString('utf8')];
    }),
  );
}
