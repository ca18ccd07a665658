/** Everything that uses.json says, read from the sources. */

import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { functionFiles } from '../bundle-functions.ts';
import { adapterActions } from './adapter-actions.ts';
import { portMethods, portUses } from './port-uses.ts';

type Uses = Readonly<Record<string, readonly string[]>>;

export interface DerivedUses {
  /** `port.method` by function. */
  readonly functions: Uses;
  /** `port.method` by tool. */
  readonly runners: Uses;
  /** IAM actions by `port.method`. */
  readonly actions: Uses;
}

export function deriveUses(): DerivedUses {
  const functions = Object.entries(functionFiles).map(([name, file]) => [name, portUses(`functions/${file}`)] as const);
  return {
    functions: Object.fromEntries(functions),
    runners: Object.fromEntries(runnerTools.map((tool) => [tool, usesOfRunner(tool)])),
    actions: adapterActions(portMethods),
  };
}

/** Builds that are no stages: checks of credentials, questions to repositories. They are started in one project alone. */
const otherBuilds: Partial<Record<RunnerTool, readonly string[]>> = {
  terraform: ['runner-images/runner/provider-check/check-build.ts', 'runner-images/runner/terraform/git-lookup.ts'],
};

/** Every runner is the same program; of the tools it has only its own. */
function usesOfRunner(tool: RunnerTool): readonly string[] {
  const others = Object.values(otherBuilds).flat();
  const common = portUses('runner-images/runner/main.ts', '*', ['runner-images/runner/stage-tools.ts', ...others]);
  const own = portUses(`runner-images/runner/tools/${tool}.ts`, tool);
  const alone = (otherBuilds[tool] ?? []).flatMap((file) => portUses(file));
  return [...new Set([...common, ...own, ...alone])].sort();
}
