/** One Terraform workspace that is changed: to its root module and its outputs, or to nothing. */
import type { ClusterState } from '#domain/cluster-state.ts';
import type { DeletedMachines } from '#rendering/machines-workspace.ts';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import { unwrap } from '../bounded.ts';
import { type ContextOf, knownNodeNames } from '../stage-context.ts';
import { type ChangeCounts, ChangeReporter } from './change-reporter.ts';
import { nodeOfAddress } from './cli/addresses.ts';
import type { StateResource, TerraformCli } from './cli/terraform-cli.ts';
import { type KeptNodes, keptNodes } from './keep/kept-nodes.ts';
import { orphanEvents } from './keep/orphan-machines.ts';
import { type KeepingPlan, planKeeping } from './keep/plan-keeping.ts';
import type { StartedWorkspace } from './start-workspace.ts';
import { pushErroredState, savingState, stateExists } from './state/errored-state.ts';
import { noteDestroyed, refuseLostState } from './state/lost-state.ts';
import { explainingLock, removeState, selfInLocks, takeOverState } from './state/state-lock.ts';
import { reportDeletion } from './strays/strays.ts';
import { runHook } from './templates/provider-files.ts';
import { readTemplatesToChange, type WorkspaceTemplates } from './templates/read-templates.ts';
import { Workspace } from './workspace.ts';
import { type WorkspaceJob, workspaceLabel } from './workspace-job.ts';

type ChangeContext = ContextOf<'terraform'>;

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

type Converged = Pick<WorkspaceOutcome, 'outputs' | 'leftGone'>;

/** What a stage brings its workspaces to. */
export interface ToApply {
  readonly target: ClusterState | null;
  /** Opens a workspace of the stage. Throws `StageFailure`. */
  readonly open: (job: WorkspaceJob) => Promise<ChangeableWorkspace>;
}

/** Reads its templates, and keeps those of plugins; nothing is started yet. Throws `StageFailure`. */
export async function openToChange(context: ChangeContext, job: WorkspaceJob): Promise<ChangeableWorkspace> {
  return new ChangeableWorkspace(context, job, await readTemplatesToChange(context, job));
}

export class ChangeableWorkspace extends Workspace {
  readonly #context: ChangeContext;
  readonly #nodes: KeptNodes;
  readonly #reporter: ChangeReporter;

  constructor(context: ChangeContext, job: WorkspaceJob, templates: WorkspaceTemplates) {
    super(context, job, templates);
    this.#context = context;
    this.#nodes = keptNodes(context);
    this.#reporter = new ChangeReporter(context, knownNodeNames(context));
  }

  /** Brings it to its root module, or to nothing. Throws `StageFailure`. */
  async apply(): Promise<WorkspaceOutcome> {
    const { counts, removed } = this.#reporter;
    const about = { counts, removed, template: this.templates.main.files.template };
    if (!this.job.destroy) return { ...(await this.#converge()), ...about };
    await this.destroy();
    return { outputs: {}, leftGone: new Set(), ...about };
  }

  /** Deletes what is in it, then its state. Throws `StageFailure`. */
  async destroy(): Promise<void> {
    const { job, stateKey } = this;
    const context = this.#context;
    const destroy = async (): Promise<void> => {
      // No state object: nothing was ever created, all of it is deleted already, or the state is lost.
      if (!(await stateExists(context, stateKey))) return refuseLostState(context, job, stateKey);
      await this.#converge();
      await noteDestroyed(context, job, stateKey);
      await removeState(context, stateKey);
    };
    // Resources that the state did not know are removed here, also after a destroy that failed.
    const sweep = async (): Promise<void> => {
      if (!context.signal.aborted) await this.hooks.ask('after-destroy', this.input);
    };
    // One after the other; of two failures the first is reported.
    unwrap([...(await Promise.allSettled([destroy()])), ...(await Promise.allSettled([sweep()]))]);
  }

  /** Reports what was deleted of it, and what is left. */
  receipt(machines: DeletedMachines): Promise<void> {
    return reportDeletion(this.#context, { hooks: this.hooks, input: this.input, ...machines });
  }

  /** Works with a state that is free for this runner to lock, and the newest that there is. Throws `StageFailure`. */
  withState<Result>(work: (started: StartedWorkspace) => Promise<Result>): Promise<Result> {
    return explainingLock(this.#context, this.stateKey, async () => work(await this.#startToChange()));
  }

  #converge(): Promise<Converged> {
    return this.withState((started) => this.#change(started));
  }

  async #change(started: StartedWorkspace): Promise<Converged> {
    const { job, hooks } = this;
    const { terraform, place } = started;
    const all = (job.only ?? []).length === 0;
    const asks = all && hooks.has('before-apply');
    const known = asks || job.isOrphaned !== undefined ? await terraform.resources() : [];
    const resources = await this.#orphan(terraform, known);
    const gone = asks ? await this.#askBefore(resources) : { replace: [], left: [] };
    const { plan, leftGone } = await this.#plan(started, gone);
    this.#reporter.planned(workspaceLabel(job), plan.messages);
    if (plan.changes)
      await savingState(this.#context, place, () => terraform.apply((message) => this.#reporter.heard(message)));
    // Destroy provisioners of tainted resources are never run: types with such resources remove them in this hook.
    if (plan.removes && !job.destroy && all && hooks.has('after-apply')) {
      const input = { ...this.input, resources: await terraform.resources() };
      this.#reportRemoved((await hooks.ask('after-apply', input)).removed);
    }
    return { outputs: job.destroy ? {} : await terraform.outputs(), leftGone };
  }

  async #startToChange(): Promise<StartedWorkspace> {
    const context = this.#context;
    const started = await this.start();
    const { terraform, place } = started;
    const owner = { who: selfInLocks(), waypoint: context.document.runId, build: context.runner.build };
    await takeOverState(context, this.stateKey, owner, (id) => terraform.forceUnlock(id));
    await pushErroredState(context, place, terraform);
    return started;
  }

  /** Removes orphaned resources from the state; returns the resources that it has then. */
  async #orphan(terraform: TerraformCli, resources: readonly StateResource[]): Promise<readonly StateResource[]> {
    const { isOrphaned = () => false } = this.job;
    const free = resources.filter(isOrphaned);
    if (free.length === 0) return resources;
    const { files, hooks } = this.templates.main;
    if (hooks.has('orphan')) await runHook(this.#context, files, 'orphan', { ...this.input, resources: free });
    await terraform.forget(free.map(({ address }) => address));
    const owners = { provider: this.input.provider, nodes: this.#nodes.orphaned };
    for (const event of orphanEvents(free, owners)) this.#context.emit(event);
    return resources.filter((resource) => !free.includes(resource));
  }

  /** What a hook finds gone: `left` are the nodes of machines that the waypoint is not to recreate. */
  async #askBefore(resources: readonly StateResource[]): Promise<Gone> {
    const { replace: gone, removed } = await this.hooks.ask('before-apply', { ...this.input, resources });
    this.#reportRemoved(removed);
    const owners = Map.groupBy(gone, (address) => nodeOfAddress(address, this.#nodes.notRecreated));
    return { replace: owners.get(undefined) ?? [], left: [...owners.keys()].filter((name) => name !== undefined) };
  }

  async #plan({ terraform, render }: StartedWorkspace, { replace, left }: Gone): Promise<KeepingPlan> {
    const { kind, name, destroy, only = [] } = this.job;
    const request = { replace, destroy, only };
    if (kind === 'dns') return { plan: await terraform.plan(request), leftGone: new Set() };
    const { emit, log, mode, document } = this.#context;
    const waypoint = { emit, log, mode, manifest: document.manifest, nodes: this.#nodes };
    return planKeeping({ ...waypoint, terraform, render, request, knownGone: left, provider: name });
  }

  #reportRemoved(removed: readonly string[]): void {
    for (const name of removed) {
      this.#reporter.removed.add(name);
      const message = `${name} still existed in ${this.job.provider.name}, unknown to Terraform: it is being removed`;
      this.#context.emit({ kind: 'LeftoverRemoved', message, node: name });
    }
  }
}

interface Gone {
  readonly replace: readonly string[];
  readonly left: readonly string[];
}
