/** The Terraform workspace of the machines of one provider instance of a cluster. */
import type { ClusterState } from '#domain/cluster-state.ts';
import { dynamicPoolsOf, renderMachinesRoot } from '#rendering/machines-root.ts';
import { machinesParts, withoutNodes } from '#rendering/machines-workspace.ts';
import { peerCidrs } from '#rendering/peer-cidrs.ts';
import { type ClusterContext, knownStates } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { variablesFromEnvironment } from './templates/provider-files.ts';
import { modulesLink, type WorkspaceJob } from './workspace-job.ts';

export interface MachinesRequest {
  /** Null: nothing of it. */
  readonly state: ClusterState | null;
  /** By pool: those of the state. */
  readonly publicKeys: Readonly<Record<string, string>>;
}

/**
 * The public keys of the pools of the instance `name`. `publicKeyOf`: one variant generates missing pairs, the other writes nothing.
 */
export async function publicKeysOf(
  state: ClusterState | null,
  name: string,
  publicKeyOf: (clusterId: string, poolId: string) => Promise<string>,
): Promise<MachinesRequest['publicKeys']> {
  if (state === null) return {};
  const ids = dynamicPoolsOf(state, name).map(({ id }) => id);
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await publicKeyOf(state.id, id)] as const)));
}

/** The workspace of the instance `name` in `state`; null: nothing of it. Throws `WorkspaceUnknown`. */
export function machinesJob(
  context: ClusterContext,
  name: string,
  { state, publicKeys }: MachinesRequest,
): WorkspaceJob {
  const { ports, facts, document, runner } = context;
  const states = knownStates(context);
  const provider = states.flatMap((known) => dynamicPoolsOf(known, name))[0]?.source.provider;
  const clusterId = states[0]?.id;
  if (provider === undefined || clusterId === undefined) throw unknownWorkspace(context, `provider instance ${name}`);
  const { namespace, manifest, generation } = document;
  return {
    kind: 'machines',
    name,
    clusterId,
    provider,
    destroy: state === null,
    parts: machinesParts(state, states, name),
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
          network: variablesFromEnvironment(files.template.environment.network, runner.environment),
          nodepool: variablesFromEnvironment(files.template.environment.nodepool, runner.environment),
        },
      }),
  };
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
