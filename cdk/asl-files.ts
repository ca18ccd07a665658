/** The state machine files for the synthesis: their text, and the meaning of each placeholder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';

const root = new URL('../', import.meta.url);
const suffix = '.asl.json';

/** Names of all state machines: `reconcile-manifest`, … */
export function stateMachineNames(): readonly string[] {
  return readdirSync(new URL('state-machines/', root))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .sort();
}

export function stateMachineText(name: string): string {
  return readFileSync(new URL(`state-machines/${name}${suffix}`, root), 'utf8');
}

/** `${PlanCluster}` → a function `plan-cluster`; `${RunStage}` → the state machine `run-stage`; `${TerraformProject}` → the project of the runner `terraform`. */
export type Placeholder = { readonly placeholder: string } & (
  | { readonly kind: 'function' | 'stateMachine'; readonly name: string }
  | { readonly kind: 'project'; readonly name: RunnerTool }
);

/** Everything a definition needs substituted. Throws for a placeholder without a function, machine or project. */
export function placeholdersOf(machine: string): readonly Placeholder[] {
  const found = new Set([...stateMachineText(machine).matchAll(/\$\{(\w+)\}/g)].map((match) => String(match[1])));
  return [...found].sort().map((placeholder) => {
    const name = kebabCase(placeholder);
    if (existsSync(new URL(`functions/tasks/${name}.ts`, root))) return { placeholder, kind: 'function', name };
    if (existsSync(new URL(`state-machines/${name}${suffix}`, root)))
      return { placeholder, kind: 'stateMachine', name };
    const tool = runnerTools.find((one) => name === `${one}-project`);
    if (tool) return { placeholder, kind: 'project', name: tool };
    throw new Error(
      `state-machines/${machine}${suffix} needs \${${placeholder}}, but there is neither functions/tasks/${name}.ts nor state-machines/${name}${suffix}, nor is it the project of a runner`,
    );
  });
}

/** The runners whose projects a definition names. */
export function toolsOf(machine: string): readonly RunnerTool[] {
  return placeholdersOf(machine).flatMap((one) => (one.kind === 'project' ? [one.name] : []));
}

/** `PlanCluster` → `plan-cluster` */
export function kebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
