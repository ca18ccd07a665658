/**
 * Records what a version of Kubeloom puts between its states and into its stores: `node scripts/record-state-inputs.ts DIRECTORY`.
 * The recording of each release stays in test/upgrade/recorded/: executions that run during an upgrade were started by that release.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cliClient } from '#cli/connection/api-client.ts';
import { wire } from '#functions/wire.ts';
import { startPlatform } from '#local/platform.ts';
import { kubeloom, withFunctionsAround } from '#local/product.ts';
import { benchManifest } from '../bench/manifests.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: record-state-inputs.ts DIRECTORY');

const settings = {
  LOG: 'none',
  STAGE_RETRY_SECONDS: '0',
  BACK_OFF_SECONDS: '0',
  MAX_BACK_OFFS: '1',
  SIM_STAGE_MS: '120',
};
for (const [name, value] of Object.entries(settings)) process.env[`KUBELOOM_${name}`] = value;
process.env.KUBELOOM_SIM_FAULTS = JSON.stringify([
  { stage: 'infrastructure', class: 'transient', times: 1, manifest: 'shop' },
  { stage: 'kubernetes', class: 'user', times: 1, manifest: 'shop' },
  { stage: 'kubernetes', class: 'capacity', times: 99, manifest: 'late', direction: 'upgrade' },
]);

/** By state: inputs of every shape that was seen. */
const inputs = new Map<string, Map<string, unknown>>();
/** By state machine: what executions were started with; its parent may be of the version before. */
const executions = new Map<string, Map<string, unknown>>();
/** By kind of document. */
const documents = new Map<string, Map<string, unknown>>();

function keep(into: Map<string, Map<string, unknown>>, name: string, value: unknown): void {
  const shapes = into.get(name) ?? new Map<string, unknown>();
  const shape = shapeOf(value);
  if (!shapes.has(shape) && shapes.size < 8) shapes.set(shape, structuredClone(value));
  into.set(name, shapes);
}

/** Names of fields, and which way it goes; not what else they hold. */
function shapeOf(value: unknown, name = ''): string {
  if (name === 'direction' || name === 'status') return String(value);
  if (Array.isArray(value)) return `[${[...new Set(value.map((one) => shapeOf(one)))].sort().join()}]`;
  if (typeof value !== 'object' || value === null) return typeof value;
  const fields = Object.entries(value).sort(([left], [right]) => left.localeCompare(right));
  // Nodes, pools and clusters are named by users.
  return `{${fields.map(([key, inner]) => `${/^[a-z][A-Za-z]+$/.test(key) ? key : '*'}:${shapeOf(inner, key)}`).join()}}`;
}

const product = withFunctionsAround(kubeloom('sim'), (name, work) => (event, context) => {
  if (name !== 'tick') keep(inputs, name, event);
  return work(event, context);
});
const platform = await startPlatform({
  runner: 'sim',
  inMemory: true,
  apiPort: 0,
  product,
});
const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
const ports = wire();
const settled = /^(Done|Failed|NeedsAttention|Paused)$/;
const until = async (name: string, test: (status: string) => boolean): Promise<void> => {
  for (;;) {
    const { status } = await api.getManifest({ namespace: 'default', name }).catch(() => ({ status: 'gone' }));
    if (test(status)) break;
    await sleep(10);
  }
};
const done = (name: string) => until(name, (status) => settled.test(status));
const manifest = (name: string, version: string) => {
  const text = JSON.stringify(benchManifest(name, 'sim')).replace('1.36.0', version).replaceAll('cloud-', `${name}-`);
  return JSON.parse(text) as unknown;
};
const keepRecords = async (name: string): Promise<void> => {
  const key = { namespace: 'default', name };
  keep(documents, 'manifest-record', await ports.manifests.get(key));
  for (const record of await ports.clusters.list(key)) keep(documents, 'cluster-record', record);
  for (const record of (await ports.runs.list(key, 10)).items) keep(documents, 'run-record', record);
};

try {
  for (const [name, first, next] of [
    ['shop', '1.35.0', '1.36.0'],
    ['late', '1.35.0', '1.36.0'],
  ] as const) {
    const key = { namespace: 'default', name };
    await api.putManifest(key, manifest(name, first));
    await done(name);
    await keepRecords(name);
    await api.retryManifest(key).catch(() => undefined);
    await done(name);
    await api.putManifest(key, manifest(name, next));
    await done(name);
    await keepRecords(name);
    await sleep(200);
  }
  // Interrupted while it is in progress: finished and started again.
  const key = { namespace: 'default', name: 'cut' };
  await api.putManifest(key, manifest('cut', '1.36.0'));
  await until('cut', (status) => status === 'Running');
  await sleep(250);
  for (const { arn, name } of platform.executionStore.list({ machine: 'reconcile-manifest', status: 'RUNNING' }))
    if (name.startsWith('cut')) await ports.workflows.stop(arn, 'recording');
  await sleep(1_500);
  await done('cut');
  await api.deleteManifest({ namespace: 'default', name: 'shop' });
  await until('shop', (status) => status === 'gone');
  await sleep(300);
  for (const { machine, input } of platform.executionStore.list({})) keep(executions, machine, JSON.parse(input));
  for (const object of platform.objects('runs/')) {
    const kind = /\/(waypoint|facts|result)\.json$/.exec(object)?.[1];
    if (kind !== undefined) keep(documents, kind, JSON.parse((await ports.artifacts.getText(object)) ?? 'null'));
  }
} finally {
  await platform.stop();
}

await mkdir(directory, { recursive: true });
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const listed = (map: typeof inputs) =>
  Object.fromEntries([...map].sort().map(([name, shapes]) => [name, [...shapes.values()]]));
const text = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;
await writeFile(join(directory, 'state-inputs.json'), text({ version, ...listed(inputs) }));
await writeFile(join(directory, 'executions.json'), text({ version, ...listed(executions) }));
await cp(product.machinesDirectory, join(directory, 'state-machines'), {
  recursive: true,
  filter: (path) => !path.endsWith('.md'),
});
await writeFile(join(directory, 'documents.json'), text({ version, ...listed(documents) }));
for (const [name, shapes] of [...inputs, ...executions, ...documents])
  process.stdout.write(`${name}: ${shapes.size}\n`);
process.exit(0);
