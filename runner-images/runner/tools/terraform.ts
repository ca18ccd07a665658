/** The infrastructure stage: machines of each provider instance side by side, then DNS names; in reverse to remove. */
import { z } from 'zod';
import type { ClusterState, LoadBalancerState } from '#domain/cluster-state.ts';
import type { InfrastructureWork } from '#domain/plan.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { poolsOf, renderMachinesRoot } from '#rendering/machines-root.ts';
import { publicAddressOf } from '#rendering/node-access.ts';
import { settleBounded, unwrap } from '../bounded.ts';
import { removeKubeconfig } from '../kubernetes/kubeconfig.ts';
import { ensurePoolKey, sshKeyPath } from '../ssh-keys.ts';
import { knownStates, type StageContext, type Tool } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import type { ChangeCounts } from '../terraform/change-teller.ts';
import { variablesFromEnvironment } from '../terraform/provider-files.ts';
import { applyWorkspace, modulesLink } from '../terraform/workspace.ts';

type Workspace = z.infer<typeof InfrastructureWork>['workspaces'][number];

/** Terraform processes at once; each takes some hundred MB with a large provider. */
const workspacesAtOnce = Number(process.env.KUBELOOM_TERRAFORM_WORKSPACES ?? 6);

const NodesOutput = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      public_address: z.string().min(1),
      ssh_port: z.number().nullish(),
      wireguard_port: z.number().nullish(),
    }),
  ),
);

export const terraform: Tool = async (context) => {
  if (context.plan.stage !== 'infrastructure') throw new Error(`terraform cannot run stage ${context.plan.stage}`);
  const { workspaces } = context.plan.work;
  const machines = workspaces.filter(({ kind }) => kind === 'machines');
  const names = workspaces.filter(({ kind }) => kind === 'dns');
  const total: ChangeCounts = {
    resourcesAdded: 0,
    resourcesChanged: 0,
    resourcesRemoved: 0,
    hostsCreated: 0,
    hostsRemoved: 0,
  };
  const visit = async (batch: readonly Workspace[], work: typeof visitMachines) => {
    const outcomes = await settleBounded(batch, workspacesAtOnce, (workspace) => work(context, workspace));
    for (const counts of unwrap(outcomes)) {
      for (const key of Object.keys(total) as (keyof ChangeCounts)[]) total[key] += counts[key];
    }
  };
  // Names point to addresses: they come after the machines and go before them.
  await visit(
    names.filter(({ destroy }) => destroy),
    visitNames,
  );
  await visit(machines, visitMachines);
  await visit(
    names.filter(({ destroy }) => !destroy),
    visitNames,
  );
  if (context.wish === null) await removeKubeconfig(context);
  return { ...total };
};

async function visitMachines(context: StageContext, { name, destroy }: Workspace): Promise<ChangeCounts> {
  const { wish, ports, facts } = context;
  const states = knownStates(context);
  const known = states.flatMap((state) => poolsOf(state, name));
  const provider = known[0]?.source.provider;
  const clusterId = states[0]?.id;
  if (provider === undefined || clusterId === undefined) throw unknownWorkspace(context, `provider instance ${name}`);
  const pools = destroy ? [] : poolsOf(wish, name);
  const publicKeys = Object.fromEntries(
    await Promise.all(pools.map(async ({ id }) => [id, await ensurePoolKey(context, clusterId, id)] as const)),
  );
  const { outputs, counts } = await applyWorkspace(context, {
    kind: 'machines',
    name,
    clusterId,
    provider,
    destroy,
    root: (files, backend) =>
      renderMachinesRoot({
        state: destroy ? null : wish,
        provider,
        template: files.template,
        regions: known.map(({ source }) => source.region),
        backend,
        installation: ports.config.KUBELOOM_INSTALLATION,
        modules: modulesLink,
        publicKeys,
        extra: {
          network: variablesFromEnvironment(files.template.environment.network),
          nodepool: variablesFromEnvironment(files.template.environment.nodepool),
        },
      }),
  });
  const made = NodesOutput.parse(outputs.nodes ?? {});
  for (const pool of pools) for (const node of pool.nodes) noteNode(context, node.name, made[pool.id]?.[node.name]);
  const kept = new Set(pools.map(({ id }) => id));
  const keptNodes = new Set(pools.flatMap(({ nodes }) => nodes.map((node) => node.name)));
  for (const pool of known) {
    for (const node of pool.nodes) if (!keptNodes.has(node.name)) facts.forgetNode(node.name);
    if (!kept.has(pool.id)) await ports.secrets.remove(sshKeyPath(context, clusterId, pool.id));
  }
  return counts;
}

type NodeOutput = z.infer<typeof NodesOutput>[string][string];

function noteNode(context: StageContext, name: string, made: NodeOutput | undefined): void {
  if (made === undefined) {
    throw new StageFailure({
      class: 'transient',
      code: 'AddressMissing',
      message: `Terraform made node ${name}, and then there was no address of it.`,
      resource: name,
      hint: 'It is tried again by itself; the log of the stage says what was made.',
    });
  }
  context.facts.node(name, {
    publicAddress: made.public_address,
    ...(made.ssh_port ? { sshPort: made.ssh_port } : {}),
    ...(made.wireguard_port ? { wireguardPort: made.wireguard_port } : {}),
  });
}

async function visitNames(context: StageContext, { name, destroy }: Workspace): Promise<ChangeCounts> {
  const { wish, ports, facts } = context;
  const states = knownStates(context);
  const balancer = destroy ? undefined : balancerOf(wish, name);
  const known = states.map((state) => balancerOf(state, name)).find((found) => found !== undefined);
  const clusterId = states[0]?.id;
  if (known === undefined || clusterId === undefined) throw unknownWorkspace(context, `load balancer ${name}`);
  const { dns } = balancer ?? known;
  const addresses = (balancer?.pools ?? []).flatMap((pool) =>
    pool.nodes.map((node) => publicAddressOf(node, facts.current)),
  );
  const { outputs, counts } = await applyWorkspace(context, {
    kind: 'dns',
    name: known.id,
    clusterId,
    provider: dns.provider,
    destroy: balancer === undefined,
    root: (files, backend) =>
      renderDnsRoot({
        clusterId,
        dns: balancer?.dns ?? null,
        addresses,
        template: files.template,
        backend,
        installation: ports.config.KUBELOOM_INSTALLATION,
        modules: modulesLink,
        extra: variablesFromEnvironment(files.template.environment.dns),
      }),
  });
  // Some DNS services answer with the root's dot, which certificates do not want.
  const endpoint = balancer === undefined ? undefined : z.string().min(1).parse(outputs.endpoint).replace(/\.$/, '');
  facts.loadBalancer(known.name, endpoint);
  return counts;
}

function balancerOf(state: ClusterState | null, name: string): LoadBalancerState | undefined {
  return state?.loadBalancers.find((balancer) => balancer.id === name || balancer.name === name);
}

function unknownWorkspace({ document }: StageContext, what: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'WorkspaceUnknown',
    message: `The plan names ${what}, which none of the states of cluster ${document.cluster} has.`,
    hint: 'This is a fault of Kubeloom. Report it with the run id.',
  });
}
