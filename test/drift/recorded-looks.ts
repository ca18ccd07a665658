/** What a check for drift reads, printed by tools as it was recorded, and the world in which the check runs. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { allNodes } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import { nodePatch } from '#rendering/node-patch.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { simulatedBootId } from '#runner/sim/simulated-facts.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aCheck, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

/** Notes its calls and prints the recording of the workspace that it is called in. */
const fakeTerraform = `#!/bin/bash
echo "$(basename "$PWD"): $*" >> "$RECORDINGS/calls"
[ "$1" = init ] && cp main.tf.json "$RECORDINGS/$(basename "$PWD").json"
[ "$1" = show ] && echo '{"format_version":"1.0"}'
[ "$1" = plan ] || exit 0
cat "$RECORDINGS/$(basename "$PWD").out" 2>/dev/null
echo; echo '{"type":"change_summary","@message":"","changes":{"add":0,"change":0,"remove":0,"operation":"plan"}}'
exit "$(cat "$RECORDINGS/$(basename "$PWD").code" 2>/dev/null || echo 0)"
`;
/** A machine answers as it was recorded, the first time as in `mesh-first` if it is there. */
const fakeSsh = `#!/bin/bash
while [ "$1" != -- ]; do words+=("$1"); shift; done
host=$2
set -- "\${words[@]}" "$@"
echo "ssh: $*" >> "$RECORDINGS/calls"
cat > "$RECORDINGS/script"
for look in mesh-first mesh; do
  file="$RECORDINGS/$look/$host"
  [ -e "$file" ] || continue
  cat "$file"
  [ "$look" = mesh ] || rm "$file"
  [ ! -e "$file.refused" ] || { cat "$file.refused" >&2; exit 255; }
  exit 0
done
`;
const fakeKubectl = `#!/bin/bash
[ "$3" = certificatesigningrequests ] && { echo '{"items":[]}'; exit 0; }
echo look >> "$RECORDINGS/looks"
[ -e "$RECORDINGS/api-down" ] && { echo 'Unable to connect to the server: dial tcp: i/o timeout' >&2; exit 1; }
[ -e "$RECORDINGS/nodes-first" ] && { cat "$RECORDINGS/nodes-first"; rm "$RECORDINGS/nodes-first"; exit 0; }
cat "$RECORDINGS/nodes"
`;

export const members = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'workers-bbbbbbb-01', 'basement-01'];
export const all = [...members, 'edge-ccccccc-01'];

export let world: StageWorld;
let recordings: string;
export const record = (name: string, text: string) => writeFileSync(join(recordings, name), text);
export const planned = (...changes: readonly (readonly [string, string])[]): string =>
  changes
    .map(([action, addr]) =>
      JSON.stringify({ '@message': 'plan', type: 'planned_change', change: { resource: { addr }, action } }),
    )
    .join('\n');
/** What Terraform prints about a change that someone else made, before it prints what it would do about it. */
export const changedOutside = (addr: string): string =>
  `${JSON.stringify({ '@message': 'drift', type: 'resource_drift', change: { resource: { addr }, action: 'update' } })}\n`;
export const replaced = (addr: string, reason: string): string =>
  JSON.stringify({
    '@message': 'p',
    type: 'planned_change',
    change: { resource: { addr }, action: 'replace', reason },
  });
export const mesh = (deaf: Readonly<Record<string, readonly string[]>> = {}): readonly PrintedEvent[] =>
  all.map((host) => {
    const answers = all.filter((peer) => peer !== host).map((peer) => [peer, !deaf[host]?.includes(peer)] as const);
    return { event: 'facts', host, mesh: Object.fromEntries(answers), bootId: simulatedBootId(host) };
  });
/** Facts of a machine, or why it refuses. */
interface PrintedEvent extends Readonly<Record<string, unknown>> {
  readonly host: string;
  readonly event: string;
  readonly message?: string;
}
const addressOf = (name: string): string =>
  allNodes(twoProviderState()).find(({ node }) => node.name === name)?.node.static?.endpoint ??
  twoProviderFacts.nodes[name]?.publicAddress ??
  '';
export const say = (events: readonly PrintedEvent[], folder: 'mesh' | 'mesh-first' = 'mesh') => {
  rmSync(join(recordings, folder), { recursive: true, force: true });
  mkdirSync(join(recordings, folder));
  for (const { host, event, message = '', ...facts } of events) {
    const file = join(recordings, folder, addressOf(host));
    const lines = Object.entries(facts).map(([key, value]) => `fact: ${key}=${JSON.stringify(value)}\n`);
    appendFileSync(file, lines.join(''));
    if (event === 'unreachable') writeFileSync(`${file}.refused`, message);
  }
};
interface LiveChange {
  readonly ready?: string;
  readonly version?: string;
  readonly metadata?: object;
  readonly spec?: object;
}
/** What the nodes stage has set on a node; nothing on one of others. */
const marksOf = (name: string): { readonly metadata?: object; readonly spec?: object } => {
  const desired = allNodes(twoProviderState()).find(({ node }) => node.name === name);
  const bare = { name, resourceVersion: '7', labels: {}, annotations: {}, taints: [], providerId: '' };
  return desired === undefined ? {} : (nodePatch(bare, desired, []) ?? {});
};
export const live = (
  change: Readonly<Record<string, LiveChange | null>> = {},
  file: 'nodes' | 'nodes-first' = 'nodes',
) => {
  const others = Object.keys(change).filter((name) => !members.includes(name));
  const items = [...members, ...others].flatMap((name) => {
    const { [name]: own = {} } = change;
    if (own === null) return [];
    const conditions = [{ type: 'Ready', status: own.ready ?? 'True' }];
    const { metadata, spec } = marksOf(name);
    return [
      {
        metadata: { name, ...metadata, ...own.metadata },
        spec: { ...spec, ...own.spec },
        status: { conditions, nodeInfo: { kubeletVersion: own.version ?? 'v1.34.2' } },
      },
    ];
  });
  record(file, JSON.stringify({ items }));
};

/** A world in which all is well, unless a test records something else. */
export async function openLooks(): Promise<void> {
  world = stageWorld();
  recordings = join(world.directory, 'recordings');
  mkdirSync(recordings);
  world.set('RECORDINGS', recordings);
  world.set('KUBELOOM_TERRAFORM', world.script('terraform', fakeTerraform));
  world.set('KUBELOOM_SSH', world.script('ssh', fakeSsh));
  cpSync(join(import.meta.dirname, '../../templates/ansible/files'), join(world.templates, 'ansible/files'), {
    recursive: true,
  });
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
  world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
  const state = twoProviderState();
  const types = new Map<string, string | undefined>();
  for (const { source } of [...state.pools, ...state.loadBalancers.flatMap(({ pools }) => pools)])
    if (source.kind === 'dynamic') types.set(source.provider.type, source.provider.secret);
  for (const { dns } of state.loadBalancers) types.set(dns.provider.type, dns.provider.secret);
  for (const [type, secret] of types) {
    const directory = join(world.templates, 'terraform', type);
    mkdirSync(directory, { recursive: true });
    const provider = { name: type, source: `example/${type}`, version: '1.0.0', credentials: { token: 'credentials' } };
    writeFileSync(join(directory, 'provider.json'), JSON.stringify({ provider }));
    if (secret) await world.ports.secrets.put(`user/${secret}`, { credentials: 'very-secret-token' });
  }
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc']) {
    const pair = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, {
      privatekey: pair.privateKey,
      publickey: pair.publicKey,
    });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey.trim() });
  const kubeconfigKey = 'kubeconfigs/team/shop/shop-1234567';
  await world.ports.artifacts.putText(kubeconfigKey, kubeconfigTo());
  await world.put(aCheck(state, { ...twoProviderFacts, kubeconfigKey }));
  say(mesh());
  live();
}

export async function look(): Promise<DriftReport> {
  const result = await world.checkDrift();
  expect(result.error).toBeUndefined();
  return DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? 'null'));
}
export const kubectlLooks = () => readFileSync(join(recordings, 'looks'), 'utf8').trim().split('\n').length;
export const calls = () => readFileSync(join(recordings, 'calls'), 'utf8');
export const machinesOf = (node: string) => `module.pool_${node.slice(0, -3)}.hcloud_server.node["${node}"]`;
export const workspaces = () => [...new Set(calls().match(/^(machines|dns)-[^:]+/gm))].sort();
/** The workspace of machines whose root names that pool. */
export const workspaceOf = (pool: string) =>
  workspaces().find(
    (name) => name.startsWith('machines') && readFileSync(join(recordings, `${name}.json`), 'utf8').includes(pool),
  ) ?? '';
