/** One Terraform workspace from its root module to its outputs; or to nothing. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import { type RootModule, requiredProviders, type StateBackend } from '#rendering/root-module.ts';
import { modulesPath, stateKeyOf } from '#rendering/terraform-names.ts';
import { unwrap } from '../bounded.ts';
import { identityIn } from '../credentials-door.ts';
import { type ContextOf, knownNodeNames, type SecretReader } from '../stage-context.ts';
import { type ChangeCounts, ChangeReporter } from './change-reporter.ts';
import { nodeOfAddress } from './cli/addresses.ts';
import { configurationFile } from './cli/cli-configuration.ts';
import { findTerraform } from './cli/find-terraform.ts';
import { changesIn, type TerraformChange } from './cli/planned-changes.ts';
import { type StateResource, TerraformCli } from './cli/terraform-cli.ts';
import { keptWhenGone } from './keep/gone-machines.ts';
import { orphan } from './keep/orphan-machines.ts';
import { planKeeping } from './keep/plan-keeping.ts';
import {
  pushErroredState,
  refuseErroredState,
  type StatePlace,
  savingState,
  stateExists,
} from './state/errored-state.ts';
import { noteDestroyed, refuseLostState } from './state/lost-state.ts';
import { explainingLock, removeState, selfInLocks, stateKeyVariable, takeOverState } from './state/state-lock.ts';
import { canList, type Strays, straysOf } from './strays/strays.ts';
import { anyHook, askHooks, type WorkspacePart } from './templates/ask-hooks.ts';
import { isPlugin, keepPlugin } from './templates/plugin-folder.ts';
import { type HookInput, type ProviderFiles, versionFiles } from './templates/provider-files.ts';
import { logIn } from './templates/provider-login.ts';

/** Name under which the root module finds the modules of its provider type. */
export const modulesLink = './modules';

/** Terraform processes at once; each takes some hundred MB with a large provider. */
export const workspacesAtOnce = Number(process.env.KUBELOOM_TERRAFORM_WORKSPACES ?? 6);

export interface WorkspaceJob {
  readonly kind: 'machines' | 'dns';
  /** Provider instance, or `dnsWorkspace`. */
  readonly name: string;
  readonly clusterId: string;
  readonly provider: ProviderInstance;
  /** Everything of it is deleted, its state as well. */
  readonly destroy: boolean;
  /** What is in it, by version of templates. @default all of it with those of `provider` */
  readonly parts?: readonly WorkspacePart[];
  /** `without`: nodes that it leaves out. */
  readonly root: (files: ProviderFiles, backend: StateBackend, without: ReadonlySet<string>) => RootModule;
  /** True for resources that are forgotten instead of destroyed. @default none */
  readonly isOrphaned?: (resource: StateResource) => boolean;
  /** The only addresses that are changed; no hook is asked then. @default everything is */
  readonly only?: readonly string[];
}

export interface WorkspaceOutcome {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly counts: ChangeCounts;
  /** Properties of the provider type. */
  readonly template: ProviderTemplate;
  /** Nodes whose machines are gone, and that it has not recreated. */
  readonly leftGone: ReadonlySet<string>;
  /** Names of machines that it removed. */
  readonly removed: ReadonlySet<string>;
}

interface Work {
  readonly job: WorkspaceJob;
  readonly files: ProviderFiles;
  readonly stateKey: string;
  readonly hook: HookInput;
  readonly reporter: ChangeReporter;
}

/** Brings the workspace to its root module. Throws `StageFailure`. */
export async function applyWorkspace(context: ContextOf<'terraform'>, job: WorkspaceJob): Promise<WorkspaceOutcome> {
  for (const { provider } of partsOf(job)) if (isPlugin(provider)) await keepPlugin(context, provider);
  const files = await mainFiles(context, job);
  const { namespace, manifest } = context.document;
  const hook = hookInputOf(context, job);
  const stateKey = stateKeyOf({ ...job, namespace, manifest });
  const reporter = new ChangeReporter(context, knownNodeNames(context));
  const work = { job, files, stateKey, hook, reporter };
  const about = { counts: reporter.counts, template: files.template, removed: reporter.removed };
  if (!job.destroy) return { ...(await converge(context, work)), ...about };
  const destroy = async (): Promise<void> => {
    // No state object: nothing was ever created, all of it is deleted already, or the state is lost.
    if (!(await stateExists(context, stateKey))) return refuseLostState(context, job, stateKey);
    await converge(context, work);
    await noteDestroyed(context, job, stateKey);
    await removeState(context, stateKey);
  };
  // Resources that the state did not know are removed here, also after a destroy that failed.
  const sweep = async (): Promise<void> => {
    if (!context.signal.aborted) await askHooks(context, partsOf(job), { hook: 'after-destroy', input: hook });
  };
  // One after the other; of two failures the first is reported.
  unwrap([...(await Promise.allSettled([destroy()])), ...(await Promise.allSettled([sweep()]))]);
  return { outputs: {}, leftGone: new Set(), ...about };
}

export interface WorkspacePlan {
  readonly changes: readonly TerraformChange[];
  /** What has the tags of the cluster and no one knows; absent where the type cannot list. */
  readonly strays?: Strays;
}

/**
 * What an apply would change; nothing is done, and the state is neither locked nor written. A type whose resources
 * Terraform cannot see is asked by its hook `inspect`. Throws `StageFailure`.
 */
export async function planWorkspace(context: SecretReader, job: WorkspaceJob): Promise<WorkspacePlan> {
  const work = await plannedWork(context, job);
  const { terraform } = await prepare(context, work);
  const parts = partsOf(job);
  const [asks, lists] = [await anyHook(context, parts, 'inspect'), await canList(context, parts)];
  const input = { ...work.hook, resources: asks || lists ? await terraform.resources() : [] };
  const { replace } = asks ? await askHooks(context, parts, { hook: 'inspect', input }) : { replace: [] };
  const { messages } = await terraform.plan({ replace, destroy: false, only: [], locks: false });
  const changes = changesIn(messages);
  return { changes, ...(lists && { strays: await straysOf(context, parts, input) }) };
}

/** What `list` is asked with: nothing is changed. Throws `StageFailure`. */
export async function listingOf(
  context: SecretReader,
  job: WorkspaceJob,
): Promise<{ readonly parts: readonly WorkspacePart[]; readonly input: HookInput }> {
  const { terraform } = await prepare(context, await plannedWork(context, job));
  return { parts: partsOf(job), input: { ...hookInputOf(context, job), resources: await terraform.resources() } };
}

async function plannedWork(context: SecretReader, job: WorkspaceJob): Promise<Work> {
  const files = await mainFiles(context, job);
  const { namespace, manifest } = context.document;
  const stateKey = stateKeyOf({ ...job, namespace, manifest });
  await refuseErroredState(context, stateKey);
  return {
    job,
    files,
    stateKey,
    hook: hookInputOf(context, job),
    reporter: new ChangeReporter(context, knownNodeNames(context)),
  };
}

export function hookInputOf(context: SecretReader, job: WorkspaceJob): HookInput {
  return {
    installation: context.ports.config.KUBELOOM_INSTALLATION,
    cluster: job.clusterId,
    provider: job.provider.name,
    kind: job.kind,
    destroy: job.destroy,
    resources: [],
  };
}

type Converged = Pick<WorkspaceOutcome, 'outputs' | 'leftGone'>;

function converge(context: ContextOf<'terraform'>, work: Work): Promise<Converged> {
  return explainingLock(context, work.stateKey, () => change(context, work));
}

async function change(context: ContextOf<'terraform'>, work: Work): Promise<Converged> {
  const { job, files, hook, reporter } = work;
  const { terraform, render, place } = await prepareToChange(context, work);
  const { only = [] } = job;
  const parts = partsOf(job);
  const asks = only.length === 0 && (await anyHook(context, parts, 'before-apply'));
  const known = asks || job.isOrphaned !== undefined ? await terraform.resources() : [];
  const resources = await orphan(context, terraform, { files, hook, isOrphaned: job.isOrphaned, resources: known });
  const { replace, left } = asks ? await askBefore(context, work, resources) : { replace: [], left: [] };
  const request = { replace, destroy: job.destroy, only };
  const { plan, leftGone } = await planKeeping(context, job, { terraform, render, request, knownGone: left });
  reporter.planned(labelOf(job), plan.messages);
  if (plan.changes) await savingState(context, place, () => terraform.apply((message) => reporter.heard(message)));
  // Destroy provisioners of tainted resources are never run: types with such resources remove them in this hook.
  if (plan.removes && !job.destroy && only.length === 0 && (await anyHook(context, parts, 'after-apply'))) {
    const input = { ...hook, resources: await terraform.resources() };
    reportRemoved(context, work, (await askHooks(context, parts, { hook: 'after-apply', input })).removed);
  }
  return { outputs: job.destroy ? {} : await terraform.outputs(), leftGone };
}

interface Prepared {
  readonly terraform: TerraformCli;
  readonly place: StatePlace;
  /** Writes the root module again, without these nodes. */
  readonly render: (without: ReadonlySet<string>) => Promise<void>;
}

/** Its directory with the root module, initialised, and its state free to be locked. */
async function prepare(context: SecretReader, { job, files, stateKey }: Work): Promise<Prepared> {
  const workspace = labelOf(job);
  const directory = join(context.workDirectory, 'terraform', workspace);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const backend = {
    bucket: context.ports.config.KUBELOOM_BUCKET,
    region: process.env.AWS_REGION ?? 'us-east-1',
    key: stateKey,
  };
  const login = await logIn(context, job.provider, files.template, { directory });
  await linkModules(context, job, directory);
  const render = (without: ReadonlySet<string>): Promise<void> => {
    const root = job.root({ ...files, template: login.template }, backend, without);
    return writeFile(join(directory, 'main.tf.json'), JSON.stringify(root, null, 2), { mode: 0o600 });
  };
  await render(new Set());
  const environment = {
    [stateKeyVariable]: stateKey,
    // For its backend, which renews it.
    ...identityIn(process.env),
    ...(await configurationFile(directory, Object.values(requiredProviders(login.template)))),
    ...login.environment,
  };
  const options = { directory, workspace, environment, nodes: knownNodeNames(context) };
  const terraform = new TerraformCli(context, options, await findTerraform());
  await terraform.init();
  return { terraform, place: { directory, stateKey }, render };
}

/** The same, with a state that is free for this runner to lock, and the newest that there is. */
async function prepareToChange(context: ContextOf<'terraform'>, work: Work): Promise<Prepared> {
  const prepared = await prepare(context, work);
  const { terraform, place } = prepared;
  const owner = {
    who: selfInLocks(),
    waypoint: context.document.runId,
    build: process.env.CODEBUILD_BUILD_ID ?? `process ${process.pid}`,
  };
  await takeOverState(context, work.stateKey, owner, (id) => terraform.forceUnlock(id));
  await pushErroredState(context, place, terraform);
  return prepared;
}

/** Puts the modules of every version where the root finds them. */
async function linkModules(context: SecretReader, job: WorkspaceJob, directory: string): Promise<void> {
  for (const part of partsOf(job)) {
    const { directory: modules } = await versionFiles(context, part);
    // A workspace that is visited a second time has it.
    await symlink(modules, join(directory, modulesPath(modulesLink, part.provider.templates))).catch(ignoreExisting);
  }
}

/** Properties of the provider type: those of the version of the job's provider, which may be one whose resources are only deleted. */
function mainFiles(context: SecretReader, job: WorkspaceJob): Promise<ProviderFiles> {
  const part = partsOf(job).find(({ provider }) => provider.templates === job.provider.templates);
  return versionFiles(context, { provider: job.provider, wanted: part?.wanted ?? !job.destroy });
}

/** What a hook finds gone: `left` are the nodes of machines that the waypoint is not to recreate. */
async function askBefore(
  context: ContextOf<'terraform'>,
  work: Work,
  resources: readonly StateResource[],
): Promise<{ readonly replace: readonly string[]; readonly left: readonly string[] }> {
  const input = { ...work.hook, resources };
  const { replace: gone, removed } = await askHooks(context, partsOf(work.job), { hook: 'before-apply', input });
  reportRemoved(context, work, removed);
  const nodes = keptWhenGone(context);
  const owners = Map.groupBy(gone, (address) => nodeOfAddress(address, nodes));
  return { replace: owners.get(undefined) ?? [], left: [...owners.keys()].filter((name) => name !== undefined) };
}

function reportRemoved({ emit }: SecretReader, { job, reporter }: Work, removed: readonly string[]): void {
  for (const name of removed) {
    reporter.removed.add(name);
    const message = `${name} still existed in ${job.provider.name}, unknown to Terraform: it is being removed`;
    emit({ kind: 'LeftoverRemoved', message, node: name });
  }
}

function partsOf({ parts = [], provider, destroy }: WorkspaceJob): readonly WorkspacePart[] {
  return parts.length > 0 ? parts : [{ provider, wanted: !destroy, pools: [] }];
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function labelOf({ kind, name }: WorkspaceJob): string {
  return `${kind}-${name}`;
}
