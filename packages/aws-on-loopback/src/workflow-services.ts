/** Step Functions, CodeBuild and Lambda together: executions start builds and functions, functions stop both. */
import { join } from 'node:path';
import { type BuildStore, openBuildStore } from './codebuild/build-store.ts';
import { type BuildsOptions, type LocalBuilds, type Project, startBuilds } from './codebuild/builds.ts';
import type { LambdaHost } from './lambda/lambda-host.ts';
import type { Logger } from './logger.ts';
import { lambdaArn, stateMachineArn, toKebabCase } from './names.ts';
import { type ExecutionStore, openExecutionStore } from './stepfunctions/execution-store.ts';
import { type Executions, startExecutions } from './stepfunctions/executions.ts';
import { runTaskWith } from './stepfunctions/integrations.ts';
import { loadMachines, type Machine, machineNames } from './stepfunctions/machines.ts';
import { type StatusRule, type StatusRules, statusRules } from './stepfunctions/status-change.ts';
import type { StoreWords } from './stores/store-fault.ts';

export interface WorkflowServices {
  readonly executions: Executions;
  readonly store: ExecutionStore;
  readonly machines: readonly Machine[];
  readonly rules: StatusRules;
}

/** Machines, functions and projects by the placeholder of an ASL file: `${PlanCluster}`, `${RunStage}`, `${TerraformProject}`. */
export async function startWorkflows(options: {
  readonly machinesDirectory: string;
  readonly statePath: string;
  readonly lambdas: LambdaHost;
  readonly builds: LocalBuilds;
  /** Names of projects by the first word of their placeholders: `terraform` is `${TerraformProject}`. */
  readonly projectNames: Readonly<Record<string, string>>;
  readonly rules: readonly StatusRule[];
  /** Executions at work at once of those that clients start; the others wait. */
  readonly concurrency: number;
  readonly words?: StoreWords;
  readonly logger: Logger;
}): Promise<WorkflowServices> {
  const { machinesDirectory, statePath, lambdas, builds, logger } = options;
  const names = await machineNames(machinesDirectory);
  const machines = await loadMachines(machinesDirectory, (placeholder) => {
    const name = toKebabCase(placeholder);
    if (names.includes(name)) return stateMachineArn(name);
    const project = /^(\w+)-project$/.exec(name)?.[1];
    if (project !== undefined) return options.projectNames[project];
    return lambdas.has(name) ? lambdaArn(name) : undefined;
  });
  const machineNamed = (name: string): Machine | undefined => machines.find((machine) => machine.name === name);
  const store = openExecutionStore(statePath, options.words);
  const rules = statusRules(options.rules, {
    store,
    machineNamed,
    logger,
    executions: () => executions,
    stopping: () => executions.stopping,
  });
  const executions: Executions = startExecutions({
    store,
    runTask: runTaskWith({ lambdas, builds, store, machineNamed, executions: () => executions }),
    needsFollowUp: rules.concerns,
    onEnd: rules.apply,
    machineNamed,
    concurrency: options.concurrency,
  });
  return { executions, store, machines, rules };
}

/** CodeBuild with its projects. */
export function startCodeBuild(options: {
  readonly projects: readonly Project[];
  readonly identityOf?: BuildsOptions['identityOf'];
  readonly statePath: string;
  readonly dataDirectory: string;
  readonly concurrency?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly words?: StoreWords;
  readonly logger: Logger;
}): { readonly builds: LocalBuilds; readonly store: BuildStore } {
  const { projects, identityOf, statePath, dataDirectory, concurrency, graceMs, words, logger } = options;
  const store = openBuildStore(statePath, words);
  const limits = {
    ...(concurrency !== undefined && { concurrency }),
    ...(graceMs !== undefined && { graceMs }),
    ...(identityOf && { identityOf }),
  };
  return {
    builds: startBuilds({ projects, store, logDirectory: join(dataDirectory, 'builds'), ...limits, logger }),
    store,
  };
}
