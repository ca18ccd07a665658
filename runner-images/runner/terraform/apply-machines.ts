/** The machines of one provider instance of a cluster: created, changed and removed by one Terraform workspace. */
import { z } from 'zod';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { closedText, DataDevice, IpAddress, LocalNetwork, PortNumber } from '#domain/observed/closed-texts.ts';
import type { NodeFacts } from '#domain/observed/node-facts.ts';
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { deletedMachines, orphanedWith } from '#rendering/machines-workspace.ts';
import { ensurePoolKey } from '../ssh-keys.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolValue } from '../tool-answer.ts';
import type { ChangeCounts } from './change-reporter.ts';
import type { ToApply, WorkspaceOutcome } from './change-workspace.ts';
import { machinesJob, publicKeysOf } from './machines-job.ts';

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

type MachinesContext = StageContext<'secrets.get' | 'secrets.create'>;

interface Instance {
  readonly name: string;
  readonly destroy: boolean;
}

/** Brings the instance `name` to the target. Throws `StageFailure`. */
export async function applyMachines(
  context: MachinesContext,
  { name, destroy }: Instance,
  { target, open }: ToApply,
): Promise<ChangeCounts> {
  const { facts, document, plan } = context;
  const state = destroy ? null : target;
  const publicKeys = await publicKeysOf(state, name, (...pool) => ensurePoolKey(context, ...pool));
  // An earlier attempt may have removed some of them, and a plan that removes them forgets them.
  const before = new Set(Object.keys({ ...document.facts.nodes, ...facts.current.nodes }));
  const orphans = new Set(plan.stage === 'infrastructure' ? plan.work.orphan : []);
  const known = knownStates(context);
  const job = machinesJob(context, name, { state, publicKeys });
  const isOrphaned = orphans.size > 0 && orphanedWith({ state, known, provider: name, orphans });
  const workspace = await open({ ...job, destroy, ...(isOrphaned && { isOrphaned }) });
  const outcome = await workspace.apply();
  const { removed } = outcome;
  if (destroy) await workspace.receipt(deletedMachines(known, job.provider, { before, removed, orphans }));
  const pools = dynamicPoolsOf(state, name);
  for (const { node, found } of nodesIn(outcome, pools, name)) facts.node(node, found());
  const stays = new Set(pools.flatMap(namesIn));
  const all = known.flatMap((one) => dynamicPoolsOf(one, name)).flatMap(namesIn);
  for (const node of all) if (!stays.has(node)) facts.forgetNode(node);
  return outcome.counts;
}

const namesIn = ({ nodes }: NodePoolState): readonly string[] => nodes.map(({ name }) => name);

type NodeOutput = z.infer<typeof NodesOutput>[string][string];

/** The facts of each node that the outcome has to have. `found` throws `AddressMissing` for one that it has not. */
function nodesIn(
  { outputs, template, leftGone }: WorkspaceOutcome,
  pools: readonly NodePoolState[],
  provider: string,
): readonly { readonly node: string; readonly found: () => NodeFacts }[] {
  const about = { tool: 'terraform', what: `the output "nodes" of ${provider}`, resource: provider };
  const made = readToolValue(NodesOutput, outputs.nodes ?? {}, about);
  const common: NodeFacts = template.firewall === 'host' ? { hostFirewall: true } : {};
  return pools.flatMap((pool) =>
    namesIn(pool).flatMap((node) =>
      leftGone.has(node) ? [] : [{ node, found: () => ({ ...common, ...factsOf(node, made[pool.id]?.[node]) }) }],
    ),
  );
}

function factsOf(name: string, made: NodeOutput | undefined): NodeFacts {
  if (made === undefined) {
    throw new StageFailure({
      class: 'transient',
      code: 'AddressMissing',
      message: `Terraform created node ${name}, but the node has no address.`,
      resource: name,
      hint: 'The log of the stage says what was created.',
    });
  }
  return {
    publicAddress: made.public_address,
    ...(made.ssh_port ? { sshPort: made.ssh_port } : {}),
    ...(made.wireguard_port ? { wireguardPort: made.wireguard_port } : {}),
    ...(made.data_device ? { dataDevice: made.data_device } : {}),
    ...(made.local_address && made.local_network
      ? { local: { network: made.local_network, address: made.local_address } }
      : {}),
  };
}
