/** The Terraform workspaces that the test sequences lead to, as the planner and the runner make them. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allNodes, type ClusterFacts, type ClusterState, type LoadBalancerState } from '#domain/cluster-state.ts';
import { defaultTemplates } from '#domain/manifest/schema/input-manifest.ts';
import type { Waypoint } from '#domain/plan.ts';
import { buildDesiredState } from '#domain/planning/desired/build-desired-state.ts';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderFirstBoot } from '#rendering/first-boot.ts';
import { dynamicPoolsOf, renderMachinesRoot } from '#rendering/machines-root.ts';
import { peerCidrs } from '#rendering/peer-cidrs.ts';
import { noProviderTemplate, ProviderTemplate } from '#rendering/provider-template.ts';
import type { RootModule } from '#rendering/root-module.ts';
import { dnsWorkspace, stateKeyOf } from '#rendering/terraform-names.ts';
import { countingIds } from '#test/planning/arbitraries.ts';
import { inputSequences, type ManifestSequence } from './input-manifests.ts';

type Workspaces = Readonly<Record<string, RootModule | 'is destroyed'>>;

/** Goldens have every line of these sequences: several clouds, names, growing and shrinking; a rolling update; own machines; two accounts. */
const written = ['shared-pools', 'template-change', 'own-machines', 'azure-two-subscriptions'];
const sequences = inputSequences().filter(({ steps }) => steps.length > 0);

describe('the workspaces of the test sequences', () => {
  test('every test sequence leads to the workspaces and modules of index.txt', async () => {
    const lines = sequences.flatMap((sequence) => [
      sequence.name,
      ...waypointsOf(sequence).flatMap(({ title, workspaces }) => [
        `  ${title}`,
        ...Object.entries(workspaces).map(([name, root]) => `    ${name}: ${summary(root)}`),
      ]),
    ]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../goldens/workspaces/index.txt');
  });

  test.each(sequences.filter(({ name }) => written.includes(name)))(
    'every root of $name is as in its golden: whole when it is new, then the lines that change',
    async (sequence) => {
      const known = new Map<string, readonly string[]>();
      const lines = waypointsOf(sequence).flatMap(({ title, cluster, workspaces }) => [
        title,
        ...Object.entries(workspaces).flatMap(([name, root]) => {
          const before = known.get(`${cluster} ${name}`) ?? [];
          const now = root === 'is destroyed' ? [] : linesOf(root);
          known.set(`${cluster} ${name}`, now);
          return [`  ${name}${now.length > 0 ? '' : ' is destroyed'}`, ...changedLines(before, now)];
        }),
      ]);
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../goldens/workspaces/${sequence.name}.txt`);
    },
  );
});

interface Rendered {
  readonly cluster: string;
  /** Step, cluster, place in the path and direction. */
  readonly title: string;
  readonly workspaces: Workspaces;
}

/** Every waypoint of every step that has something to apply. */
function waypointsOf({ steps }: ManifestSequence): readonly Rendered[] {
  const ids = countingIds('h');
  const existing = new Map<string, ClusterState>();
  const rendered: Rendered[] = [];
  for (const [index, manifest] of steps.entries()) {
    const { name, namespace } = manifest.metadata;
    const names = manifest.spec.kubernetes.clusters.map((cluster) => cluster.name);
    // Which commit a reference means does not matter here, only whether it changed.
    const templates = Object.fromEntries(
      manifest.spec.providers.flatMap((provider) =>
        provider.templatesRef.name === defaultTemplates ? [] : [[provider.name, `git@${provider.templatesRef.name}`]],
      ),
    );
    for (const cluster of new Set([...existing.keys(), ...names])) {
      const current = existing.get(cluster) ?? null;
      const desired = buildDesiredState({ manifest, cluster, current, attempted: null, templates, ids });
      const { waypoints, refusals } = planClusterPath({ cluster, current, attempted: null, desired });
      expect(refusals).toEqual([]);
      let before = current;
      for (const [place, waypoint] of waypoints.entries()) {
        const workspaces = workspacesOf(waypoint, { namespace, manifest: name, generation: index + 1, before });
        const title = `step ${index + 1}, ${cluster}, waypoint ${place + 1}: ${waypoint.direction}`;
        if (Object.keys(workspaces).length > 0) rendered.push({ cluster, title, workspaces });
        before = waypoint.target;
      }
      if (desired === null) existing.delete(cluster);
      else existing.set(cluster, desired);
    }
  }
  return rendered;
}

/** Calls of modules; those that make nothing have a count of 0, pools their number of nodes. */
function summary(root: Workspaces[string]): string {
  if (root === 'is destroyed') return root;
  const calls = Object.entries(root.module as Record<string, { count?: number; nodes?: object }>);
  return calls
    .map(([name, { count, nodes }]) => {
      if (count === 0) return `${name} (0)`;
      return nodes === undefined ? name : `${name} (${Object.keys(nodes).length})`;
    })
    .join(', ');
}

/** Without what is the same in all of them: test/rendering holds the backend, except for its key. */
function linesOf(root: RootModule): readonly string[] {
  return flat('', root).filter((line) => !/^(\/\/|terraform\.backend\.s3\.(?!key))/.test(line));
}

/** `path = value`, a line each; what is short is not taken apart. */
function flat(path: string, value: unknown): readonly string[] {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || (text.length <= 80 && path.includes('.')))
    return [`${path} = ${text}`];
  return Object.entries(value).flatMap(([key, inner]) => flat(path === '' ? key : `${path}.${key}`, inner));
}

/** A new root's lines; later what goes, then what comes. */
function changedLines(before: readonly string[], now: readonly string[]): readonly string[] {
  if (before.length === 0) return now.map((line) => `    ${line}`);
  if (now.length === 0) return [];
  const gone = before.filter((line) => !now.includes(line));
  return [
    ...gone.map((line) => `  - ${line}`),
    ...now.filter((line) => !before.includes(line)).map((line) => `  + ${line}`),
  ];
}

interface From {
  readonly namespace: string;
  readonly manifest: string;
  readonly generation: number;
  readonly before: ClusterState | null;
}

/** What the infrastructure stage of a waypoint applies, by the name of the workspace. */
function workspacesOf({ target, stages }: Waypoint, from: From): Workspaces {
  const [infrastructure] = stages.flatMap((plan) => (plan.stage === 'infrastructure' ? [plan.work.workspaces] : []));
  const states = [target, from.before].filter((state) => state !== null);
  const facts = factsOf(states);
  return Object.fromEntries(
    (infrastructure ?? []).flatMap(({ kind, name, destroy }): [string, Workspaces[string]][] => {
      if (destroy) return [[`${kind}-${name}`, 'is destroyed']];
      if (kind === 'machines') return [[`machines-${name}`, machinesRoot(name, target, { states, facts, from })]];
      return namesRoots(name, target, { states, facts, from });
    }),
  );
}

interface Known {
  readonly states: readonly ClusterState[];
  readonly facts: ClusterFacts;
  readonly from: From;
}

function common({ states, from }: Known, kind: 'machines' | 'dns', name: string) {
  const { namespace, manifest, generation } = from;
  const clusterId = states[0]?.id ?? '';
  const key = stateKeyOf({ namespace, manifest, clusterId, kind, name });
  return {
    namespace,
    manifest,
    generation,
    clusterId,
    installation: 'kubeloom',
    modules: './modules',
    backend: { bucket: 'bucket', region: 'region', key },
  };
}

function machinesRoot(name: string, target: ClusterState | null, known: Known): RootModule {
  const { states, facts } = known;
  const [provider] = states.flatMap((state) => dynamicPoolsOf(state, name)).map(({ source }) => source.provider);
  if (provider === undefined) throw new Error(`no state knows ${name}`);
  const publicKeys = Object.fromEntries(dynamicPoolsOf(target, name).map(({ id }) => [id, `ssh-ed25519 AAAA ${id}`]));
  const root = renderMachinesRoot({
    ...common(known, 'machines', name),
    state: target,
    others: states,
    provider,
    publicKeys,
    template: templateOf(provider.type),
    adminCidrs: ['0.0.0.0/0'],
    peerCidrs: peerCidrs(target, facts),
    extra: { network: {}, nodepool: {} },
  });
  return withoutScripts(root, publicKeys, states[0]?.id ?? '');
}

function namesRoots(name: string, target: ClusterState | null, known: Known): [string, RootModule][] {
  const found = known.states.flatMap((state) => balancerOf(state, name) ?? []);
  const now = balancerOf(target, name);
  const addresses = (now?.pools ?? []).flatMap(({ nodes }) => nodes.map((node) => addressOf(node.name, known.facts)));
  return [...new Map(found.toReversed().map(({ dns }) => [dns.provider.name, dns])).values()].map((dns) => {
    const gone = now === undefined || dns.provider.name !== now.dns.provider.name;
    const workspace = dnsWorkspace(name, dns.provider.name);
    const root = renderDnsRoot({
      ...common(known, 'dns', workspace),
      dns,
      gone,
      addresses: gone ? ['192.0.2.1'] : addresses,
      extra: {},
      healthCheckPort: now?.roles.find(({ protocol }) => protocol === 'tcp')?.port ?? null,
      template: templateOf(dns.provider.type),
    });
    return [`dns-${workspace}`, root];
  });
}

function balancerOf(state: ClusterState | null, name: string): LoadBalancerState | undefined {
  return state?.loadBalancers.find((balancer) => balancer.id === name || balancer.name === name);
}

/** Every machine has a public address, by its place in the states. */
function factsOf(states: readonly ClusterState[]): ClusterFacts {
  const names = [...new Set(states.flatMap(allNodes).map(({ node }) => node.name))].toSorted();
  const nodes = names.map((node, index) => [node, { publicAddress: `198.51.100.${index + 1}` }]);
  return { nodes: Object.fromEntries(nodes), loadBalancers: {}, simulated: [] };
}

const addressOf = (node: string, facts: ClusterFacts): string => facts.nodes[node]?.publicAddress ?? '';

function templateOf(type: string): ProviderTemplate {
  const file = new URL(`../../templates/terraform/${type}/provider.json`, import.meta.url);
  return existsSync(file) ? ProviderTemplate.parse(JSON.parse(readFileSync(file, 'utf8'))) : noProviderTemplate;
}

/** The first boot scripts have a golden of their own (test/rendering). */
function withoutScripts(root: RootModule, publicKeys: Readonly<Record<string, string>>, clusterId: string): RootModule {
  const scripts = new Set(Object.values(publicKeys).map((publicKey) => renderFirstBoot({ clusterId, publicKey })));
  const text = JSON.stringify(root, (key, value: unknown) =>
    key === 'first_boot' && scripts.has(String(value).replaceAll('$${', '${')) ? 'the script of the pool' : value,
  );
  return JSON.parse(text) as RootModule;
}
