/** Terraform or OpenTofu in one directory: runs commands, reads their messages, and throws failures as `StageFailure`. */
import { z } from 'zod';
import { closedText, observedWords } from '#domain/observed/closed-texts.ts';
import { type Command, type CommandResult, complaintsOnly } from '../../process.ts';
import type { StageContext } from '../../stage-context.ts';
import { finished, StageFailure } from '../../stage-failure.ts';
import { readToolJson, unreadableAnswer } from '../../tool-answer.ts';
import { type Diagnostic, isKnownError, terraformError } from './diagnostics.ts';
import { diagnosticsOf, lastWords, type Message, readMessage } from './messages.ts';

export interface TerraformOptions {
  readonly directory: string;
  /** Name of the workspace for people and in the log. */
  readonly workspace: string;
  /** `TF_VAR_…` with credentials, and the state key by which a later runner finds the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Known node names: failures and events name them instead of addresses. */
  readonly nodes: ReadonlySet<string>;
}

export interface PlanOptions {
  /** Addresses that are recreated whatever the state says. */
  readonly replace: readonly string[];
  /** Everything will be deleted. */
  readonly destroy: boolean;
  /** The only addresses that are planned; none: everything is. */
  readonly only: readonly string[];
  /** False: what the state records counts as existing, and is not compared with the cloud. @default true */
  readonly refresh?: boolean;
  /** False: a plan only, by a runner that may not write next to the state. @default true */
  readonly locks?: boolean;
}

export interface PlanOutcome {
  readonly changes: boolean;
  /** It removes something, if only to recreate it. */
  readonly removes: boolean;
  readonly messages: readonly Message[];
}

/** It is passed to Terraform again, where a dash in front would make an option of it. */
export const ResourceAddress = closedText(2000, /^[A-Za-z_][^\p{Cc}\p{Cf}\u2028\u2029]*$/u);
const ResourceType = closedText(200, /^[\w-]+$/);

const StateResource = z.object({
  address: ResourceAddress,
  type: ResourceType,
  index: z.union([z.number(), observedWords(500)]).optional(),
  values: z.object({ id: closedText(2000, /^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u).optional() }).nullish(),
});
export type StateResource = z.infer<typeof StateResource>;

/** `create`, `replace_because_cannot_update` */
const Word = closedText(100, /^[\w-]+$/);

/** A change of the saved plan. */
export interface ResourceChange {
  readonly address: string;
  readonly type: string;
  readonly actions: readonly string[];
  /** Attributes that cannot be changed in place, as `network.0`. */
  readonly replacePaths: readonly string[];
  /** Why, as Terraform names it. */
  readonly reason?: string;
}

const SavedPlan = z.object({
  resource_changes: z
    .array(
      z.object({
        address: ResourceAddress,
        type: ResourceType,
        change: z.object({
          actions: z.array(Word),
          replace_paths: z.array(z.array(z.union([observedWords(500), z.number()]))).default([]),
        }),
        action_reason: Word.optional(),
      }),
    )
    .default([]),
});

/** The values are read where their form is known. */
const Outputs = z.record(closedText(200, /^[\w-]+$/), z.object({ value: z.unknown() }));

interface StateModule {
  readonly resources?: readonly StateResource[] | undefined;
  readonly child_modules?: readonly StateModule[] | undefined;
}
const StateModule: z.ZodType<StateModule> = z.object({
  resources: z.array(StateResource).optional(),
  child_modules: z.array(z.lazy(() => StateModule)).optional(),
});
const State = z.object({ values: z.object({ root_module: StateModule.optional() }).optional() });
const planFile = 'plan.tfplan';

/**
 * After an interrupt Terraform finishes creations in progress, which takes minutes on some clouds, writes them to the state and frees
 * the lock. This is less than what remains of a build after the end of a stage, and after a request to stop.
 */
export const applyGraceMs = 140_000;

const allAtOnce = '-parallelism=30';

export class TerraformCli {
  readonly #context: Pick<StageContext, 'run'>;
  readonly #options: TerraformOptions;
  readonly #program: string;

  constructor(context: Pick<StageContext, 'run'>, options: TerraformOptions, program: string) {
    this.#context = context;
    this.#options = options;
    this.#program = program;
  }

  async init(): Promise<void> {
    await this.#must('TerraformInitFailed', ['init', '-input=false', '-no-color']);
  }

  /** Creates and saves a plan. */
  async plan({ replace, destroy, only, refresh = true, locks = true }: PlanOptions): Promise<PlanOutcome> {
    const { result, messages } = await this.#stream([
      'plan',
      '-json',
      '-input=false',
      '-detailed-exitcode',
      locks ? '-lock-timeout=30s' : '-lock=false',
      allAtOnce,
      `-out=${planFile}`,
      ...(refresh ? [] : ['-refresh=false']),
      ...(destroy ? ['-destroy'] : replace.map((address) => `-replace=${address}`)),
      ...only.map((address) => `-target=${address}`),
    ]);
    if (result.code !== 0 && result.code !== 2)
      throw this.#failure('TerraformPlanFailed', diagnosticsOf(messages), result);
    this.#refuseUnfinished('plan', messages);
    const removes = messages.some((message) => message.type === 'change_summary' && message.changes.remove > 0);
    return { changes: result.code === 2, removes, messages };
  }

  /** Everything that the saved plan would change. */
  async plannedChanges(): Promise<readonly ResourceChange[]> {
    const { resource_changes: changes } = await this.#read(
      'TerraformShowFailed',
      ['show', '-json', '-no-color', planFile],
      SavedPlan,
    );
    return changes.map(({ address, type, change: { actions, replace_paths: paths }, action_reason: reason }) => ({
      address,
      type,
      actions,
      replacePaths: paths.map((path) => path.join('.')),
      ...(reason !== undefined && { reason }),
    }));
  }

  /** Applies the saved plan, and nothing else. */
  async apply(onMessage: (message: Message) => void): Promise<void> {
    const { result, messages } = await this.#stream(
      ['apply', '-json', '-input=false', '-lock-timeout=30s', allAtOnce, planFile],
      onMessage,
      applyGraceMs,
    );
    if (result.code !== 0) throw this.#failure('TerraformApplyFailed', diagnosticsOf(messages), result);
    this.#refuseUnfinished('apply', messages);
  }

  async outputs(): Promise<Readonly<Record<string, unknown>>> {
    const outputs = await this.#read('TerraformOutputFailed', ['output', '-json', '-no-color'], Outputs);
    return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  }

  /** Everything the state has. */
  async resources(): Promise<readonly StateResource[]> {
    const state = await this.#read('TerraformShowFailed', ['show', '-json', '-no-color'], State);
    return resourcesOf(state.values?.root_module ?? {});
  }

  /** Removes these resources from the state; the real ones stay. */
  async forget(addresses: readonly string[]): Promise<void> {
    await this.#must('TerraformForgetFailed', ['state', 'rm', '-lock-timeout=30s', ...addresses]);
  }

  /** Renames a resource of the state; the real one stays as it is. */
  async move(from: string, to: string): Promise<void> {
    await this.#must('TerraformMoveFailed', ['state', 'mv', '-lock-timeout=30s', from, to]);
  }

  /** Notes a real resource, by its id, under an address of the root module. */
  async importResource(address: string, id: string): Promise<void> {
    await this.#must('TerraformImportFailed', [
      'import',
      '-input=false',
      '-no-color',
      '-lock-timeout=30s',
      address,
      id,
    ]);
  }

  async forceUnlock(id: string): Promise<void> {
    await this.#must('TerraformUnlockFailed', ['force-unlock', '-force', '-no-color', id]);
  }

  /** Saves the state of this file, whatever its exit code. Terraform refuses one that is older than what it would replace. */
  push(file: string): Promise<CommandResult> {
    return this.#run(['state', 'push', '-lock-timeout=30s', '-no-color', file]);
  }

  /** Throws with the code when the command fails. */
  async #must(code: string, args: readonly string[], onLine?: Command['onLine']): Promise<CommandResult> {
    const result = await this.#run(args, onLine);
    if (result.code !== 0) throw this.#failure(code, plainDiagnostics(result.stderr), result);
    return result;
  }

  /** The JSON that the command prints; it is not logged. */
  async #read<Schema extends z.ZodType>(
    code: string,
    args: readonly string[],
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    const { stdout } = await this.#must(code, args, complaintsOnly);
    const what = `the answer to \`${args[0]}\` of ${this.#options.workspace}`;
    return readToolJson(schema, stdout, { tool: 'terraform', what });
  }

  /** Terraform ends what it did with a summary: without one, nothing that it printed or did not print is believed. */
  #refuseUnfinished(command: string, messages: readonly Message[]): void {
    if (messages.some(({ type }) => type === 'change_summary')) return;
    const what = `the messages of \`${command}\` of ${this.#options.workspace}`;
    throw unreadableAnswer({ tool: 'terraform', what }, 'it ended without its summary of changes');
  }

  async #stream(
    args: readonly string[],
    onMessage: (message: Message) => void = () => undefined,
    graceMs?: number,
  ): Promise<{ result: CommandResult; messages: readonly Message[] }> {
    const messages: Message[] = [];
    const result = await this.#run(
      args,
      (line) => {
        const { message, words } = readMessage(line);
        if (message !== undefined) {
          messages.push(message);
          onMessage(message);
        }
        return words === '' ? undefined : words;
      },
      graceMs,
    );
    return { result, messages };
  }

  #run(args: readonly string[], onLine?: Command['onLine'], graceMs?: number): Promise<CommandResult> {
    return this.#context.run({
      label: `terraform ${args[0]} ${this.#options.workspace}`,
      tool: 'terraform',
      program: this.#program,
      args,
      cwd: this.#options.directory,
      environment: { TF_IN_AUTOMATION: '1', TF_INPUT: '0', CHECKPOINT_DISABLE: '1', ...this.#options.environment },
      ...(onLine === undefined ? {} : { onLine }),
      ...(graceMs === undefined ? {} : { graceMs }),
    });
  }

  #failure(code: string, diagnostics: readonly Diagnostic[], result: CommandResult): StageFailure {
    const { nodes, workspace } = this.#options;
    const fallback = [`terraform ended with exit code ${result.code}`, lastWords(result)].filter(Boolean).join(': ');
    const about = { code, nodes, workspace, fallback };
    const isKnown = isKnownError(diagnostics, fallback);
    const parts = diagnostics
      .filter(({ severity }) => severity === 'error')
      .map((diagnostic) => ({
        ...(diagnostic.address === undefined ? {} : { address: diagnostic.address }),
        error: finished(terraformError({ ...about, diagnostics: [diagnostic] })),
      }));
    return new StageFailure(terraformError({ ...about, diagnostics }), { parts, isKnown });
  }
}

function resourcesOf({ resources = [], child_modules: children = [] }: StateModule): readonly StateResource[] {
  return [...resources, ...children.flatMap(resourcesOf)];
}

/** Commands without `-json` print their errors in a box: `│ Error: summary` and lines of detail. */
function plainDiagnostics(text: string): readonly Diagnostic[] {
  const lines = text.split('\n').map((line) => line.replace(/^[│╷╵\s]+/, '').trimEnd());
  const start = lines.findIndex((line) => line.startsWith('Error: '));
  if (start < 0) return [];
  const detail = lines
    .slice(start + 1)
    .filter(Boolean)
    .join('\n');
  return [{ severity: 'error', summary: (lines[start] ?? '').replace('Error: ', ''), detail }];
}
