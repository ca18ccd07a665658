/** The machines of one provider instance of a cluster: created, changed and removed by one Terraform workspace. */
import { z } from 'zod';
import { allPools, type ClusterState, type NodePoolState } from '#domain/cluster-state.ts';
import { closedText, DataDevice, IpAddress, LocalNetwork, PortNumber } from '#domain/observed/closed-texts.ts';
import type { NodeFacts } from '#domain/observed/node-facts.ts';
import {
  droppedPools,
  dynamicPoolsOf,
  type NetworkPlace,
  placesOf,
  renderMachinesRoot,
} from '#rendering/machines-root.ts';
import { peerCidrs } from '#rendering/peer-cidrs.ts';
import { networkModule, poolModule } from '#rendering/terraform-names.ts';
import { ensurePoolKey } from '../ssh-keys.ts';
import { type ClusterContext, type ContextOf, knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolValue } from '../tool-answer.ts';
import type { ChangeCounts } from './change-reporter.ts';
import type { StateResource } from './cli/terraform-cli.ts';
import { reportDeletion } from './strays/strays.ts';
import type { WorkspacePart } from './templates/ask-hooks.ts';
import { variablesFromEnvironment } from './templates/provider-files.ts';
import { applyWorkspace, hookInputOf, modulesLink, type WorkspaceJob } from './workspace.ts';

const Name = closedText(253, /^[\w.-]+$/);
const NodesOutput = z.record(
  Name,
  z.record(
    Name,
    z.object({
      public_address: IpAddress,
      ssh_port: PortNumber.nullish(),
      wireguard_port: PortNumber.nullish(),
      data_device: z.union([DataDevice, z.literal('')]).nullish(),
      local_address: z.union([IpAddress, z.literal('')]).nullish(),
      local_network: z.union([LocalNetwork, z.literal('')]).nullish(),
    }),
  ),
);

/** Brings the instance `name` to the target. Throws `StageFailure`. */
export async function applyMachines(
  context: ContextOf<'terraform'>,
  { name, destroy }: { readonly name: string; readonly destroy: boolean },
  target: ClusterState | null,
): Promise<ChangeCounts> {
  const { facts } = context;
  const state = destroy ? null : target;
  const pools = dynamicPoolsOf(state, name);
  const job = await machinesJob(context, name, {
    state,
    publicKeyOf: (...pool) => ensurePoolKey(context, ...pool),
  });
  // An earlier attempt may have removed some of them, and a plan that removes them forgets them.
  const before = Object.keys({ ...context.document.facts.nodes, ...facts.current.nodes });
  const { outputs, counts, template, leftGone, removed } = await applyWorkspace(context, {
    ...job,
    destroy,
    ...orphansOf(context, state, name),
  });
  if (destroy) await receiptOf(context, job, { before: new Set(before), removed });
  const about = { tool: 'terraform', what: `the output "nodes" of ${name}`, resource: name };
  const made = readToolValue(NodesOutput, outputs.nodes ?? {}, about);
  const common: NodeFacts = template.firewall === 'host' ? { hostFirewall: true } : {};
  for (const { id, nodes } of pools) {
    for (const { name: node } of nodes) {
      if (!leftGone.has(node)) noteNode(context, node, made[id]?.[node], common);
    }
  }
  const keptNodes = new Set(pools.flatMap(({ nodes }) => nodes.map((node) => node.name)));
  for (const { nodes } of knownStates(context).flatMap((known) => dynamicPoolsOf(known, name)))
    for (const node of nodes) if (!keptNodes.has(node.name)) facts.forgetNode(node.name);
  return counts;
}

/** What was removed, and what is left. `before`: names of machines that existed, of other instances, too. */
async function receiptOf(
  context: ContextOf<'terraform'>,
  job: WorkspaceJob,
  names: { readonly before: ReadonlySet<string>; readonly removed: ReadonlySet<string> },
): Promise<void> {
  const orphans = new Set(context.plan.stage === 'infrastructure' ? context.plan.work.orphan : []);
  const pools = droppedPools(null, knownStates(context), job.name);
  const own = pools.flatMap(({ nodes }) => nodes.map(({ name }) => name)).filter((name) => names.before.has(name));
  const removed = [...new Set([...own, ...names.removed])].filter((name) => !orphans.has(name));
  const elsewhere = knownStates(context)
    .flatMap(allPools)
    .filter(({ source }) => source.kind === 'dynamic' && source.provider.name !== job.name);
  const others = new Set([...orphans, ...elsewhere.flatMap(({ nodes }) => nodes.map(({ name }) => name))]);
  const sameType = elsewhere.some(
    ({ source }) => source.kind === 'dynamic' && source.provider.type === job.provider.type,
  );
  // Volumes and addresses do not have the names of their machines.
  const shared = sameType || orphans.size > 0;
  const input = hookInputOf(context, job);
  await reportDeletion(context, { parts: job.parts ?? [], input, removed, others, shared });
}

export interface MachinesRequest {
  /** Null: nothing of it. */
  readonly state: ClusterState | null;
  /** Returns the public key of a pool: one variant generates missing pairs, the other writes nothing. */
  readonly publicKeyOf: (clusterId: string, poolId: string) => Promise<string>;
}

/** The workspace of the instance `name` in `state`; null: nothing of it. Throws `WorkspaceUnknown`. */
export async function machinesJob(
  context: ClusterContext,
  name: string,
  { state, publicKeyOf }: MachinesRequest,
): Promise<WorkspaceJob> {
  const { ports, facts, document } = context;
  const states = knownStates(context);
  const provider = states.flatMap((known) => dynamicPoolsOf(known, name))[0]?.source.provider;
  const clusterId = states[0]?.id;
  if (provider === undefined || clusterId === undefined) throw unknownWorkspace(context, `provider instance ${name}`);
  const publicKeys = Object.fromEntries(
    await Promise.all(
      dynamicPoolsOf(state, name).map(async ({ id }) => [id, await publicKeyOf(clusterId, id)] as const),
    ),
  );
  const { namespace, manifest, generation } = document;
  return {
    kind: 'machines',
    name,
    clusterId,
    provider,
    destroy: state === null,
    parts: partsOf(state, states, name),
    root: (files, backend, without) =>
      renderMachinesRoot({
        clusterId,
        namespace,
        manifest,
        generation,
        state: withoutNodes(state, without),
        others: states,
        provider,
        template: files.template,
        backend,
        installation: ports.config.KUBELOOM_INSTALLATION,
        modules: modulesLink,
        adminCidrs: ports.config.KUBELOOM_RUNNER_CIDRS,
        peerCidrs: peerCidrs(state, facts.current),
        publicKeys,
        extra: {
          network: variablesFromEnvironment(files.template.environment.network),
          nodepool: variablesFromEnvironment(files.template.environment.nodepool),
        },
      }),
  };
}

function withoutNodes(state: ClusterState | null, names: ReadonlySet<string>): ClusterState | null {
  if (state === null || names.size === 0) return state;
  const left = (pool: NodePoolState): NodePoolState => ({
    ...pool,
    nodes: pool.nodes.filter(({ name }) => !names.has(name)),
  });
  const loadBalancers = state.loadBalancers.map((one) => ({ ...one, pools: one.pools.map(left) }));
  return { ...state, pools: state.pools.map(left), loadBalancers };
}

/** The content of the workspace by version of templates; versions of the target first. */
function partsOf(state: ClusterState | null, known: readonly ClusterState[], name: string): readonly WorkspacePart[] {
  const desired = dynamicPoolsOf(state, name);
  const wanted = new Set(desired.map(({ source }) => source.provider.templates));
  const all = Map.groupBy([...desired, ...droppedPools(state, known, name)], ({ source }) => source.provider.templates);
  return [...all].flatMap(([templates, [first, ...more]]) =>
    first === undefined
      ? []
      : [
          {
            provider: first.source.provider,
            wanted: wanted.has(templates),
            pools: [first, ...more].map(({ id }) => id),
          },
        ],
  );
}

/**
 * Which resources are orphaned with the nodes that the plan names: their own; and where their whole pool or region is removed,
 * also the resources that the nodes use, since nothing that is in use can be destroyed.
 */
function orphansOf(
  context: StageContext,
  state: ClusterState | null,
  provider: string,
): { readonly isOrphaned?: (resource: StateResource) => boolean } {
  const orphans = new Set(context.plan.stage === 'infrastructure' ? context.plan.work.orphan : []);
  const dropped = droppedPools(state, knownStates(context), provider);
  const stranded = dropped.filter(({ nodes }) => nodes.some((node) => orphans.has(node.name)));
  const nameOf = ({ region, templates }: NetworkPlace) => networkModule(region, templates);
  const kept = new Set(placesOf(dynamicPoolsOf(state, provider)).map(nameOf));
  const gone = placesOf(stranded)
    .map(nameOf)
    .filter((network) => !kept.has(network));
  const modules = [...stranded.map(({ id }) => poolModule(id)), ...gone];
  if (orphans.size === 0) return {};
  const nodes = new Set(dropped.flatMap((pool) => pool.nodes.map((node) => node.name)));
  return {
    isOrphaned: ({ address, index }) =>
      orphans.has(String(index)) ||
      (!nodes.has(String(index)) && modules.some((module) => address.startsWith(`module.${module}.`))),
  };
}

type NodeOutput = z.infer<typeof NodesOutput>[string][string];

function noteNode(context: ClusterContext, name: string, made: NodeOutput | undefined, common: NodeFacts): void {
  if (made === undefined) {
    throw new StageFailure({
      class: 'transient',
      code: 'AddressMissing',
      message: `Terraform created node ${name}, but the node has no address.`,
      resource: name,
      hint: 'Kubeloom retries automatically; the log of the stage says what was created.',
    });
  }
  context.facts.node(name, {
    ...common,
    publicAddress: made.public_address,
    ...(made.ssh_port ? { sshPort: made.ssh_port } : {}),
    ...(made.wireguard_port ? { wireguardPort: made.wireguard_port } : {}),
    ...(made.data_device ? { dataDevice: made.data_device } : {}),
    ...(made.local_address && made.local_network
      ? { local: { network: made.local_network, address: made.local_address } }
      : {}),
  });
}

/** The plan and the states do not fit together. */
export function unknownWorkspace({ document }: ClusterContext, what: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'WorkspaceUnknown',
    message: `The plan names ${what}, which none of the states of cluster ${document.cluster} has.`,
    hint: 'This is a fault of Kubeloom. Report it with the run id.',
  });
}
