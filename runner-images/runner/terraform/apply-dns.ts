/** The DNS names of one load balancer: one Terraform workspace for each provider instance that has or had them. */
import type { ClusterState, DnsState, LoadBalancerState } from '#domain/cluster-state.ts';
import { HostName } from '#domain/observed/closed-texts.ts';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { publicAddressOf } from '#rendering/node-access.ts';
import { dnsWorkspace } from '#rendering/terraform-names.ts';
import { type ClusterContext, knownStates } from '../stage-context.ts';
import { readToolValue } from '../tool-answer.ts';
import type { ChangeCounts } from './change-reporter.ts';
import type { ToApply } from './change-workspace.ts';
import { unknownWorkspace } from './machines-job.ts';
import { variablesFromEnvironment } from './templates/provider-files.ts';
import { modulesLink, type WorkspaceJob } from './workspace-job.ts';

interface Names {
  readonly clusterId: string;
  /** Addresses of the load balancer. */
  readonly id: string;
  readonly dns: DnsState;
  readonly gone: boolean;
  readonly addresses: readonly string[];
  readonly healthCheckPort: number | null;
}

/** An address of documentation: modules require one, also where nothing is created. */
const nowhere = '192.0.2.1';

/**
 * Brings the names of the load balancer `name` to the target. Names that move to another provider instance
 * are created there before the old ones are deleted, each with the credentials of its own provider. Throws `StageFailure`.
 */
export async function applyDns(
  context: ClusterContext,
  { name, destroy }: { readonly name: string; readonly destroy: boolean },
  { target, open }: ToApply,
): Promise<ChangeCounts> {
  const { facts } = context;
  const states = knownStates(context);
  const found = states.flatMap((state) => balancerOf(state, name) ?? []);
  const [known] = found;
  const clusterId = states[0]?.id;
  if (known === undefined || clusterId === undefined) throw unknownWorkspace(context, `load balancer ${name}`);
  const balancer = destroy ? undefined : balancerOf(target, name);
  const { addresses, healthCheckPort } = pointsTo(context, balancer);
  // A load balancer without a node, for example because its pool could not be created, has nothing to point to.
  const dns = addresses.length === 0 ? undefined : balancer?.dns;
  const byProvider = new Map(found.map((one) => [one.dns.provider.name, one.dns] as const).toReversed());
  const olds = [...byProvider.values()].filter((old) => old.provider.name !== dns?.provider.name);
  const common = { clusterId, id: known.id, healthCheckPort };
  const apply = async (names: Names) => (await open(workspaceOf(context, names))).apply();
  const remove = async (some: readonly DnsState[]) => {
    for (const old of some) await apply({ ...common, dns: old, gone: true, addresses: [nowhere] });
  };
  if (dns === undefined) {
    await remove(olds);
    facts.loadBalancer(known.name, undefined);
    return noChanges;
  }
  // Two instances of one type may be one account, where a name cannot exist twice.
  const clashes = (old: DnsState) => old.provider.type === dns.provider.type && nameOf(old) === nameOf(dns);
  await remove(olds.filter(clashes));
  const { outputs, counts } = await apply({ ...common, dns, gone: false, addresses });
  await remove(olds.filter((old) => !clashes(old)));
  // Some DNS services answer with the root's dot, which certificates do not have.
  const about = { tool: 'terraform', what: `the output "endpoint" of ${known.name}`, resource: known.name };
  facts.loadBalancer(known.name, readToolValue(HostName, outputs.endpoint, about).replace(/\.$/, ''));
  return counts;
}

const noChanges: ChangeCounts = {
  resourcesAdded: 0,
  resourcesChanged: 0,
  resourcesRemoved: 0,
  hostsCreated: 0,
  hostsRemoved: 0,
};

/** The workspace of the names of a load balancer in `state`; undefined: it has none, as it has no nodes. */
export function namesJob(
  context: ClusterContext,
  balancer: LoadBalancerState,
  state: ClusterState,
): WorkspaceJob | undefined {
  const published = pointsTo(context, balancer);
  if (published.addresses.length === 0) return undefined;
  const { id, dns } = balancer;
  return workspaceOf(context, { clusterId: state.id, id, dns, gone: false, ...published });
}

/** The addresses that the names of a load balancer point to, and the port of the health check of its nodes. */
function pointsTo(
  { facts }: ClusterContext,
  balancer: LoadBalancerState | undefined,
): Pick<Names, 'addresses' | 'healthCheckPort'> {
  const nodes = (balancer?.pools ?? []).flatMap((pool) => pool.nodes);
  const addresses = nodes.map((node) => publicAddressOf(node, facts.current));
  const healthCheckPort = balancer?.roles.find(({ protocol }) => protocol === 'tcp')?.port ?? null;
  return { addresses, healthCheckPort };
}

function workspaceOf(context: ClusterContext, names: Names): WorkspaceJob {
  const { id, ...rest } = names;
  const { clusterId, dns, gone } = names;
  const { namespace, manifest, generation } = context.document;
  return {
    kind: 'dns',
    name: dnsWorkspace(id, dns.provider.name),
    clusterId,
    provider: dns.provider,
    destroy: gone,
    root: (files, backend) =>
      renderDnsRoot({
        ...rest,
        namespace,
        manifest,
        generation,
        template: files.template,
        backend,
        installation: context.ports.config.KUBELOOM_INSTALLATION,
        modules: modulesLink,
        extra: variablesFromEnvironment(files.template.environment.dns, context.runner.environment),
      }),
  };
}

function balancerOf(state: ClusterState | null, name: string): LoadBalancerState | undefined {
  return state?.loadBalancers.find((balancer) => balancer.id === name || balancer.name === name);
}

function nameOf({ hostname, zone }: DnsState): string {
  return `${hostname}.${zone}`;
}
