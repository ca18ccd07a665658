/**
 * A person edits the state of one workspace: resources are removed, moved or imported by Terraform itself, and nothing of the cloud is
 * touched. The state is kept as it was before, under a key that this runner cannot read.
 */
import { readStateEdit } from '#contracts/state-edits.ts';
import { allPools, type ClusterState } from '#domain/cluster-state.ts';
import { isMade, misfits } from '#domain/edit-faults.ts';
import { stateEditTitle } from '#domain/planning/text/state-edit-text.ts';
import type { StateChange, StateEdit, StateEditWork } from '#domain/state-edit.ts';
import { counted } from '#domain/words.ts';
import { dynamicPoolsOf } from '#rendering/machines-root.ts';
import { dnsWorkspace, workspaceName } from '#rendering/terraform-names.ts';
import { knownPoolKey } from '../ssh-keys.ts';
import { type ContextOf, knownStates, type StageSummary } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { namesJob } from './apply-dns.ts';
import { openToChange } from './change-workspace.ts';
import type { TerraformCli } from './cli/terraform-cli.ts';
import { machinesJob, publicKeysOf } from './machines-job.ts';
import { refuseErroredState } from './state/errored-state.ts';
import { storedState } from './state/stored-state.ts';
import type { WorkspaceJob } from './workspace-job.ts';

type Context = ContextOf<'terraform'>;

/**
 * `key`: of the edit, which the pipeline left next to the waypoint. Throws `StageFailure`: `StateMoved` when the state is not the one that
 * it was planned with, `EditRefused` when it does not fit it.
 */
export async function makeEdit(context: Context, key: string): Promise<StageSummary> {
  const edit = readStateEdit(await context.ports.artifacts.getText(key));
  const { change, serial, workspace } = edit;
  const job = await jobOf(context, workspace);
  if (job === undefined) throw unknownState(workspace);
  const opened = await openToChange(context, job);
  await refuseErroredState(context, opened.stateKey);
  return opened.withState(async ({ terraform }) => {
    const before = await stateOf(context, workspace);
    // An earlier try has made it, and was killed before it could say so.
    const made = context.attempt > 1 && before.serial !== serial && isMade(change, before.addresses);
    if (!made) {
      refuseMisfits(edit, before);
      await keep(context, edit, before.text);
      await makeChange(terraform, change);
    }
    const after = await stateOf(context, workspace);
    report(context, edit, after.serial);
    return { resourcesEdited: change.kind === 'rm' ? change.addresses.length : 1 };
  });
}

function makeChange(terraform: TerraformCli, change: StateChange): Promise<void> {
  switch (change.kind) {
    case 'rm':
      return terraform.forget(change.addresses);
    case 'mv':
      return terraform.move(change.from, change.to);
    case 'import':
      return terraform.importResource(change.address, change.id).catch((failure: unknown) => {
        throw importFailure(failure);
      });
    default:
      return change satisfies never;
  }
}

/** What a person asks for and no table knows is theirs, and not repeated: the address, the id, or a type that cannot be imported. */
function importFailure(failure: unknown): unknown {
  if (!(failure instanceof StageFailure)) return failure;
  const { error } = failure;
  if (error.class !== 'user' && failure.isKnown) return failure;
  const hint =
    'Nothing was imported. The templates have to have the address, and the provider a thing with this id, of a type that can be imported: the message says which of them fails.';
  return new StageFailure({ ...error, class: 'user', retryable: false, hint }, { cause: failure });
}

interface FoundState {
  /** Null: no state. */
  readonly serial: number | null;
  readonly addresses: readonly string[];
  readonly text?: string;
}

async function stateOf({ document, ports }: Context, workspace: string): Promise<FoundState> {
  const { namespace, manifest, cluster: clusterId } = document;
  const stored = await storedState(ports, { namespace, manifest, clusterId, workspace });
  if (stored === undefined) return { serial: null, addresses: [] };
  const { serial, text } = stored;
  return { serial, text, addresses: stored.rows().map(({ address }) => address) };
}

/** Where a state is kept as it was before an edit; a serial is edited once in a run. */
export function keptStateKey(
  { namespace, manifest, cluster, runId }: Readonly<Record<'namespace' | 'manifest' | 'cluster' | 'runId', string>>,
  { workspace, serial }: Pick<StateEdit, 'workspace' | 'serial'>,
): string {
  return `kept-states/${namespace}/${manifest}/${cluster}/${workspace}-${serial}-${runId}.tfstate`;
}

/** Before anything is changed: what cannot be kept is not edited. */
async function keep({ document, ports }: Context, edit: StateEditWork, text: string | undefined): Promise<void> {
  if (text !== undefined) await ports.artifacts.putText(keptStateKey(document, edit), text, 'application/json');
}

function refuseMisfits({ workspace, serial, change }: StateEditWork, { serial: found, addresses }: FoundState): void {
  if (found !== serial) throw moved(workspace, serial, found);
  const reasons = misfits(change, addresses);
  if (reasons.length === 0) return;
  const has = addresses.length === 0 ? 'nothing' : counted(addresses.length, 'resource');
  throw new StageFailure({
    class: 'user',
    code: 'EditRefused',
    message: `The Terraform state ${workspace} does not fit the edit: ${reasons.join('. ')}. It has ${has}.`,
    resource: workspace,
    hint: 'Nothing was changed. `kubeloom state list CLUSTER` shows what there is.',
  });
}

function report({ document, emit }: Context, edit: StateEditWork, serial: number | null): void {
  const kept =
    edit.serial === null ? 'there was no state before' : `it is kept as it was as ${keptStateKey(document, edit)}`;
  const named = edit.change.kind === 'rm' ? ` (${shownAddresses(edit.change.addresses)})` : '';
  const message = `${stateEditTitle(edit)}${named}, requested by ${edit.by}; serial ${edit.serial ?? 'none'} before, ${serial ?? 'none'} now; ${kept}`;
  emit({ kind: 'StateEdited', message });
}

/** Most characters of addresses in an event; the plan of the run has all. */
const longestList = 1000;

function shownAddresses(addresses: readonly string[]): string {
  const shown: string[] = [];
  for (const address of addresses) {
    if (shown.length > 0 && [...shown, address].join(', ').length > longestList) break;
    shown.push(address);
  }
  const rest = addresses.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The root module as the target has it, or, for a workspace that is about to go, as the state that has it. */
async function jobOf(context: Context, workspace: string): Promise<WorkspaceJob | undefined> {
  const states = [context.target, ...knownStates(context)].filter((state) => state !== null);
  for (const state of states) {
    const provider = providersOf(state).find((name) => workspaceName({ kind: 'machines', name }) === workspace);
    if (provider !== undefined)
      return machinesJob(context, provider, {
        state,
        publicKeys: await publicKeysOf(state, provider, (...pool) => keyOr(knownPoolKey(context, ...pool))),
      });
    const balancer = state.loadBalancers.find(
      ({ id, dns }) => workspaceName({ kind: 'dns', name: dnsWorkspace(id, dns.provider.name) }) === workspace,
    );
    const job = balancer && namesJob(context, balancer, state);
    if (job !== undefined) return job;
  }
  return undefined;
}

/** Nothing is applied: a key that is lost holds no one back who edits a state. */
const keyOr = (key: Promise<string>): Promise<string> => key.catch(() => 'ssh-ed25519 AAAA lost');

function providersOf(state: ClusterState): readonly string[] {
  const names = allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider.name] : []));
  return [...new Set(names)].filter((name) => dynamicPoolsOf(state, name).length > 0);
}

function moved(workspace: string, planned: number | null, found: number | null): StageFailure {
  const serialText = (serial: number | null) => (serial === null ? 'there was no state' : `its serial was ${serial}`);
  const now = found === null ? 'there is no state now' : `it is ${found} now`;
  return new StageFailure({
    class: 'user',
    code: 'StateMoved',
    message: `The Terraform state ${workspace} has changed since the edit was planned: ${serialText(planned)}, ${now}.`,
    resource: workspace,
    hint: 'Nothing was changed. Request the edit again: it is planned with the state as it is now.',
  });
}

function unknownState(workspace: string): StageFailure {
  return new StageFailure({
    class: 'user',
    code: 'StateUnknown',
    message: `The cluster has no Terraform state ${workspace} any more, or it has nothing to point to.`,
    resource: workspace,
    hint: 'Nothing was changed. `kubeloom state list CLUSTER` shows the states that there are.',
  });
}
