/** The EventBridge rule on executions that ended badly: starts a machine with the event, as in AWS, also after a restart. */
import { randomUUID } from 'node:crypto';
import { type Logger, messageOf } from '../logger.ts';
import { account, region, stateMachineArn } from '../names.ts';
import type { Execution, ExecutionStore } from './execution-store.ts';
import type { Executions } from './executions.ts';
import type { Machine } from './machines.ts';

export interface StatusRule {
  /** Machine whose executions are watched. */
  readonly machine: string;
  readonly statuses: readonly Execution['status'][];
  /** Machine that is started with the event. */
  readonly target: string;
}

export interface StatusRules {
  concerns(execution: Execution): boolean;
  /** Starts the target, and notes when that has ended: a follow-up that was interrupted by a stop is repeated at the next start. */
  apply(execution: Execution): void;
  /** Does the follow-ups that were not done; called once after recovery. */
  resume(): void;
}

export function statusRules(
  rules: readonly StatusRule[],
  options: {
    readonly store: ExecutionStore;
    readonly executions: () => Executions;
    readonly machineNamed: (name: string) => Machine | undefined;
    readonly stopping: () => boolean;
    readonly logger: Logger;
  },
): StatusRules {
  const { store, executions, machineNamed, stopping, logger } = options;
  const ruleFor = (execution: Execution): StatusRule | undefined =>
    rules.find(({ machine, statuses }) => machine === execution.machine && statuses.includes(execution.status));

  const apply = (execution: Execution): void => {
    const rule = ruleFor(execution);
    const machine = rule && machineNamed(rule.target);
    if (!rule || !machine) return;
    const event = statusChangeEvent(execution);
    try {
      const { arn } = executions().start({ machine, name: event.id, input: JSON.stringify(event) });
      void executions()
        .ended(arn)
        .then(() => {
          if (!stopping()) store.followedUp(execution.arn);
        });
    } catch (error) {
      logger.error('a status change was not followed up', { execution: execution.name, cause: messageOf(error) });
    }
  };

  return {
    concerns: (execution) => ruleFor(execution) !== undefined,
    apply,
    resume() {
      for (const execution of store.list({ followUp: 'pending' })) apply(execution);
    },
  };
}

/** "Step Functions Execution Status Change" as EventBridge delivers it. */
function statusChangeEvent(execution: Execution): { readonly id: string; readonly [field: string]: unknown } {
  return {
    id: randomUUID(),
    version: '0',
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account,
    region,
    time: new Date(execution.stoppedAt ?? execution.startedAt).toISOString(),
    resources: [execution.arn],
    detail: {
      executionArn: execution.arn,
      stateMachineArn: stateMachineArn(execution.machine),
      name: execution.name,
      status: execution.status,
      startDate: execution.startedAt,
      stopDate: execution.stoppedAt,
      input: execution.input,
      output: execution.output,
      inputDetails: { included: true },
      outputDetails: execution.output === null ? null : { included: true },
      error: execution.error,
      cause: execution.cause,
    },
  };
}
