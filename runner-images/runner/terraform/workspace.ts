/** One Terraform workspace, opened once: what an apply would change, and what it has. Nothing here changes anything. */
import type { SecretReader } from '../stage-context.ts';
import { changesIn, type TerraformChange } from './cli/planned-changes.ts';
import { type StartedWorkspace, startWorkspace } from './start-workspace.ts';
import { refuseErroredState } from './state/errored-state.ts';
import type { Listing } from './strays/act-on-strays.ts';
import { canList, type Strays, straysOf } from './strays/strays.ts';
import { Hooks } from './templates/hooks.ts';
import type { HookInput } from './templates/provider-files.ts';
import { readTemplates, type WorkspaceTemplates } from './templates/read-templates.ts';
import { hookInputOf, stateKeyOfJob, type WorkspaceJob } from './workspace-job.ts';

export interface WorkspacePlan {
  readonly changes: readonly TerraformChange[];
  /** What has the tags of the cluster and no one knows; absent where the type cannot list. */
  readonly strays?: Strays;
}

/** Reads its templates; nothing is started yet. Throws `StageFailure`. */
export async function openWorkspace(context: SecretReader, job: WorkspaceJob): Promise<Workspace> {
  return new Workspace(context, job, await readTemplates(context, job));
}

export class Workspace {
  readonly job: WorkspaceJob;
  readonly templates: WorkspaceTemplates;
  readonly stateKey: string;
  readonly hooks: Hooks;
  /** What its hooks read, without the resources of its state. */
  readonly input: HookInput;
  readonly #context: SecretReader;

  constructor(context: SecretReader, job: WorkspaceJob, templates: WorkspaceTemplates) {
    this.#context = context;
    this.job = job;
    this.templates = templates;
    this.stateKey = stateKeyOfJob(context, job);
    this.hooks = new Hooks(context, templates.parts);
    this.input = hookInputOf(context, job);
  }

  /** Logs in and initialises it. Throws `StageFailure`. */
  start(): Promise<StartedWorkspace> {
    return startWorkspace(this.#context, this.job, this.templates);
  }

  /**
   * What an apply would change; nothing is done, and the state is neither locked nor written. A type whose resources
   * Terraform cannot see is asked by its hook `inspect`. Throws `StageFailure`.
   */
  async plan(): Promise<WorkspacePlan> {
    const { hooks } = this;
    const { terraform } = await this.#startToRead();
    const [asks, lists] = [hooks.has('inspect'), canList(hooks)];
    const input = { ...this.input, resources: asks || lists ? await terraform.resources() : [] };
    const { replace } = asks ? await hooks.ask('inspect', input) : { replace: [] };
    const { messages } = await terraform.plan({ replace, destroy: false, only: [], locks: false });
    const changes = changesIn(messages);
    return { changes, ...(lists && { strays: await straysOf(this.#context, hooks, input) }) };
  }

  /** What the hook `list` is asked with: nothing is changed. Throws `StageFailure`. */
  async list(): Promise<Listing> {
    const { terraform } = await this.#startToRead();
    return { hooks: this.hooks, input: { ...this.input, resources: await terraform.resources() } };
  }

  async #startToRead(): Promise<StartedWorkspace> {
    await refuseErroredState(this.#context, this.stateKey);
    return this.start();
  }
}
