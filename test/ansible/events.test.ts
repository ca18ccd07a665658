/** What a playbook prints for programs: one JSON object a line. */
import { beforeAll, expect, test } from 'vitest';
import { needAnsible, runLocally } from './playbook.ts';

beforeAll(needAnsible);

const hosts = { all: { hosts: { one: {} } } };
const raw = (name: string, script: string, more: object = {}) => ({
  name,
  'ansible.builtin.raw': script,
  register: 'printed',
  changed_when: "'changed: ' in printed.stdout",
  ...more,
});

test('changes, notes and facts of a script become events, in order', async () => {
  const script =
    'echo "changed: wrote /a"; echo "note: /b is read-only"; echo "fact: port=51820"; echo "fact: mesh={\\"two\\":true}"';
  const { code, events } = await runLocally([raw('Prepare', script)], hosts);
  expect(code).toBe(0);
  expect(events.map(({ time: _, ...event }) => event)).toEqual([
    { event: 'play', name: 'Try' },
    { event: 'task', name: 'Prepare' },
    { event: 'ok', host: 'one', task: 'Prepare', changed: true, what: ['wrote /a'], notes: ['/b is read-only'] },
    { event: 'facts', host: 'one', lines: ['port=51820', 'mesh={"two":true}'] },
    { event: 'stats', hosts: { one: { ok: 1, changed: 1, failures: 0, unreachable: 0 } } },
  ]);
});

test('a failure event has the output of the script and its exit code, without passwords', async () => {
  const script = 'echo talk; echo "cannot reach http://me:geheim@proxy:1/" >&2; exit 3';
  const { code, events } = await runLocally([raw('Prepare', script)], hosts);
  expect(code).toBe(2);
  expect(events.find(({ event }) => event === 'failed')).toMatchObject({
    host: 'one',
    task: 'Prepare',
    message: 'cannot reach http://***@proxy:1/',
    exitCode: 3,
    ignored: false,
  });
});

test('a long error output is cut to its end', async () => {
  const { events } = await runLocally([raw('Prepare', 'seq 1 5000 >&2; echo the cause >&2; exit 1')], hosts);
  const message = String(events.find(({ event }) => event === 'failed')?.message);
  expect(message.length).toBe(2000);
  expect(message).toMatch(/the cause$/);
});

test('a host that does not answer is unreachable, and the event says how it was tried', async () => {
  const ssh = { ansible_connection: 'ssh', ansible_host: '127.0.0.1', ansible_port: 1, ansible_ssh_retries: 0 };
  const { code, events } = await runLocally([raw('Prepare', 'true')], { all: { hosts: { gone: ssh } } });
  expect(code).toBe(4);
  expect(events.find(({ event }) => event === 'unreachable')).toMatchObject({
    host: 'gone',
    message: expect.stringContaining('Connection refused'),
  });
});
