/** The Step Functions JSON API (AWS JSON 1.0): executions, their histories, the machines. */
import type { RequestListener } from 'node:http';
import { z } from 'zod';
import { jsonOf } from '../json.ts';
import type { Logger } from '../logger.ts';
import { nameOfArn, stateMachineArn } from '../names.ts';
import { AwsFault, awsJsonListener, operation } from '../server/aws-json.ts';
import { type Execution, ExecutionStatus, type ExecutionStore } from './execution-store.ts';
import { type Executions, roleArn } from './executions.ts';
import type { Machine } from './machines.ts';

const Name = z.string().regex(/^[A-Za-z0-9_-]{1,80}$/, 'an execution name has 1 to 80 letters, digits, - and _');
const Page = { maxResults: z.number().int().min(0).max(1000).default(100), nextToken: z.string().optional() };
const ByArn = z.object({ executionArn: z.string() });

export function stepFunctionsListener(options: {
  readonly executions: Executions;
  readonly store: ExecutionStore;
  readonly machines: readonly Machine[];
  /** Names of those that are Express. @default none */
  readonly express?: readonly string[];
  readonly logger: Logger;
}): RequestListener {
  const { executions, store, machines, express = [], logger } = options;
  const typeOf = (name: string): 'EXPRESS' | 'STANDARD' => (express.includes(name) ? 'EXPRESS' : 'STANDARD');
  const createdAt = Date.now() / 1000;
  const machine = (arn: string): Machine => {
    const found = machines.find((candidate) => candidate.arn === arn);
    if (!found) throw new AwsFault('StateMachineDoesNotExist', `there is no state machine ${arn}`);
    return found;
  };

  const operations = {
    StartExecution: operation(
      z.object({ stateMachineArn: z.string(), name: Name.optional(), input: z.string().default('{}') }),
      ({ stateMachineArn: arn, name, input }) => {
        if (!isJson(input)) throw new AwsFault('InvalidExecutionInput', 'the input is not JSON');
        const { arn: started, startedAt } = executions.start({ machine: machine(arn), name, input, waits: true });
        return { executionArn: started, startDate: startedAt / 1000 };
      },
    ),
    StartSyncExecution: operation(
      z.object({ stateMachineArn: z.string(), name: Name.optional(), input: z.string().default('{}') }),
      async ({ stateMachineArn: arn, name, input }) => {
        const found = machine(arn);
        if (typeOf(found.name) === 'STANDARD')
          throw new AwsFault('StateMachineTypeNotSupported', `${arn} is not an Express machine`);
        if (!isJson(input)) throw new AwsFault('InvalidExecutionInput', 'the input is not JSON');
        return described(await executions.ended(executions.start({ machine: found, name, input }).arn));
      },
    ),
    StopExecution: operation(
      ByArn.extend({ error: z.string().optional(), cause: z.string().optional() }),
      ({ executionArn, error, cause }) => {
        const { stoppedAt } = executions.stop(executionArn, error, cause);
        return { stopDate: (stoppedAt ?? Date.now()) / 1000 };
      },
    ),
    DescribeExecution: operation(ByArn, ({ executionArn }) => described(executions.get(executionArn))),
    ListExecutions: operation(
      z.object({ stateMachineArn: z.string(), statusFilter: ExecutionStatus.optional(), ...Page }),
      ({ stateMachineArn: arn, statusFilter, maxResults, nextToken }) => {
        const [limit, offset] = [maxResults || 100, offsetOf(nextToken)];
        const found = store.list({ machine: machine(arn).name, status: statusFilter, offset, limit: limit + 1 });
        const more = found.length > limit && { nextToken: String(offset + limit) };
        return { executions: found.slice(0, limit).map(summary), ...more };
      },
    ),
    GetExecutionHistory: operation(
      ByArn.extend({ reverseOrder: z.boolean().default(false), ...Page }),
      ({ executionArn, reverseOrder, maxResults, nextToken }) => {
        const events = store
          .history(executions.get(executionArn).arn)
          .map((event, place) => ({ ...event, id: place + 1, previousEventId: place }));
        if (reverseOrder) events.reverse();
        const [from, to] = [offsetOf(nextToken), offsetOf(nextToken) + (maxResults || 100)];
        return { events: events.slice(from, to), ...(events.length > to && { nextToken: String(to) }) };
      },
    ),
    DescribeStateMachine: operation(z.object({ stateMachineArn: z.string() }), ({ stateMachineArn: arn }) => {
      const { name, definition } = machine(arn);
      const fixed = { status: 'ACTIVE', type: typeOf(name), roleArn, creationDate: createdAt };
      return { stateMachineArn: arn, name, definition, ...fixed };
    }),
    ListStateMachines: operation(z.object({}), () => ({
      stateMachines: machines.map(({ arn, name }) => ({
        stateMachineArn: arn,
        name,
        type: typeOf(name),
        creationDate: createdAt,
      })),
    })),
  };
  return awsJsonListener('Step Functions', '1.0', operations, logger);
}

function described(execution: Execution): object {
  return {
    ...summary(execution),
    input: execution.input,
    inputDetails: { included: true },
    ...(execution.output !== null && { output: execution.output, outputDetails: { included: true } }),
    ...(execution.error !== null && { error: execution.error }),
    ...(execution.cause !== null && { cause: execution.cause }),
  };
}

function summary(execution: Execution): object {
  return {
    executionArn: execution.arn,
    stateMachineArn: stateMachineArn(execution.machine),
    name: nameOfArn(execution.arn),
    status: execution.status,
    startDate: execution.startedAt / 1000,
    ...(execution.stoppedAt !== null && { stopDate: execution.stoppedAt / 1000 }),
  };
}

function offsetOf(token: string | undefined): number {
  if (token === undefined) return 0;
  if (!/^\d{1,9}$/.test(token)) throw new AwsFault('InvalidToken', 'the token is not one of this service');
  return Number(token);
}

function isJson(text: string): boolean {
  return jsonOf(text) !== undefined;
}
