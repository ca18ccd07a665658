/** The state machine files as they are, with their placeholders filled in. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runnerTools } from '#functions/rights/runner-rights.ts';

const root = new URL('../../../', import.meta.url);
const suffix = '.asl.json';

export interface AslState {
  readonly Type: string;
  readonly Comment?: string;
  readonly Resource?: string;
  readonly TimeoutSeconds?: number;
  readonly Next?: string;
  readonly ResultPath?: string | null;
  readonly Retry?: readonly { readonly ErrorEquals: readonly string[]; readonly [field: string]: unknown }[];
  readonly Catch?: readonly {
    readonly ErrorEquals: readonly string[];
    readonly ResultPath?: string;
    readonly Next: string;
  }[];
  readonly ItemProcessor?: AslMachine;
  readonly [field: string]: unknown;
}

export interface AslMachine {
  readonly Comment?: string;
  readonly StartAt: string;
  readonly TimeoutSeconds?: number;
  readonly States: Readonly<Record<string, AslState>>;
  readonly [field: string]: unknown;
}

export const machineNames: readonly string[] = readdirSync(new URL('state-machines/', root))
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));

export function machineText(name: string): string {
  return readFileSync(new URL(`state-machines/${name}${suffix}`, root), 'utf8');
}

/** Every state of a machine, those inside a Map too. */
export function statesOf(machine: AslMachine): readonly (readonly [name: string, state: AslState])[] {
  return Object.entries(machine.States).flatMap(([name, state]) => [
    [name, state] as const,
    ...(state.ItemProcessor ? statesOf(state.ItemProcessor) : []),
  ]);
}

export const arnOf = (kind: 'function' | 'stateMachine', name: string): string =>
  kind === 'function'
    ? `arn:aws:lambda:eu-central-1:000000000000:function:${name}`
    : `arn:aws:states:eu-central-1:000000000000:stateMachine:${name}`;

/** `PlanCluster` → `plan-cluster` */
export const kebabCase = (name: string): string => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();

/** What a placeholder stands for: a file of functions/tasks, a state machine, or the project of a runner, here called as its tool; undefined for an unknown placeholder. */
export function placeholderArn(placeholder: string): string | undefined {
  const name = kebabCase(placeholder);
  if (existsSync(new URL(`functions/tasks/${name}.ts`, root))) return arnOf('function', name);
  if (machineNames.includes(name)) return arnOf('stateMachine', name);
  return runnerTools.find((tool) => name === `${tool}-project`);
}

export function machineOf(name: string): AslMachine {
  const text = machineText(name).replaceAll(
    /\$\{(\w+)\}/g,
    (_, placeholder: string) => placeholderArn(placeholder) ?? '?',
  );
  return JSON.parse(text) as AslMachine;
}

/** `<machine>/<state>` of each state of the machine that catches errors. */
export const catchesOf = (name: string): readonly string[] =>
  statesOf(machineOf(name)).flatMap(([state, { Catch }]) => (Catch ? [`${name}/${state}`] : []));
