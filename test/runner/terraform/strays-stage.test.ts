/** The infrastructure stage stops and deletes machines that no one knows, by the hooks of their type. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StagePlan } from '#domain/plan.ts';
import { nodes, openRecordings, record, world } from '../recorded-terraform.ts';
import { aDocument } from '../stage-world.ts';

const [node = ''] = nodes;
const hook = (name: string, text: string) => writeFileSync(join(world.templates, 'terraform/hetzner', name), text);
const machine = (name: string) => ({ id: `id-${name}`, name, type: 'machine' });

let earlier = 0;
const reported = async () => (await world.reported()).slice(earlier);

beforeEach(async () => {
  await openRecordings();
  const machines = { workspaces: [{ kind: 'machines' as const, name: 'hz-prod', destroy: false }] };
  await world.put(aDocument([{ stage: 'infrastructure', reasons: ['pools are new'], work: machines }]));
  await world.run('infrastructure');
  earlier = (await world.reported()).length;
  const values = { id: `id-${node}` };
  const resource = { address: 'a', mode: 'managed', type: 'hcloud_server', name: 'node', index: node, values };
  record('show.out', JSON.stringify({ format_version: '1.0', values: { root_module: { resources: [resource] } } }));
  hook(
    'list.ts',
    `console.log(${JSON.stringify(JSON.stringify({ items: [machine(node), machine('who-is-that')] }))});`,
  );
  const work = {
    workspaces: [],
    strays: [{ provider: 'hz-prod', action: 'delete' as const, ids: ['id-who-is-that'] }],
  };
  const plan: StagePlan = { stage: 'infrastructure', reasons: ['a stray'], work };
  await world.put(aDocument([plan]));
});
afterEach(() => world.close());

it('a stray is deleted, and an event says so', async () => {
  hook('remove.ts', '');
  expect(await world.run('infrastructure')).toMatchObject({ ok: true });
  expect(await reported()).toEqual([expect.stringMatching(/^LeftoverRemoved: who-is-that .*: it was deleted$/)]);
});

it.each([
  ['remove.ts', 7],
  ['remove.ts', 8],
  ['list.ts', 7],
])(
  'a refusal that only a person can lift (%s ends with %i) is an event, and fails nothing else',
  async (file, code) => {
    hook('remove.ts', '');
    hook(file, `console.error('the cloud keeps it'); process.exit(${code});`);
    expect(await world.run('infrastructure')).toMatchObject({ ok: true });
    expect(await reported()).toEqual([expect.stringMatching(/^StraysNotHandled: .*the cloud keeps it/s)]);
  },
);

it('a refusal that may pass fails the stage, which is retried', async () => {
  hook('remove.ts', "console.error('the cloud is busy'); process.exit(4);");
  expect(await world.run('infrastructure')).toMatchObject({ ok: false, error: { retryable: true } });
});
