/** Our state machines on any service with the API of Step Functions. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { Machines, Outcome } from '#test/pipeline/harness/state-machines.ts';

export interface Service {
  readonly client: SFNClient;
  /** Names of the machines on it. */
  readonly machines: readonly string[];
  arnOf(machine: string): string;
}

export class ServiceMachines implements Machines {
  readonly entered: string[] = [];
  readonly caught = new Set<string>();
  readonly #service: Service;
  #count = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  async run(machine: string, input: unknown, name = `auto-${++this.#count}`): Promise<Outcome> {
    const { client, arnOf } = this.#service;
    const start = { stateMachineArn: arnOf(machine), name, input: JSON.stringify(input) };
    const { executionArn } = await client.send(new StartExecutionCommand(start));
    for (;;) {
      const { status, error, cause } = await client.send(new DescribeExecutionCommand({ executionArn }));
      if (status !== 'RUNNING')
        return { status: status as Outcome['status'], ...(error !== undefined && { error, cause: cause ?? '' }) };
      await pause(25);
    }
  }

  /** As AWS does when a parent is stopped: what it waits for is stopped too. */
  async abortAll(): Promise<void> {
    const { client } = this.#service;
    for (const executionArn of await this.#executions('RUNNING')) {
      await client.send(new StopExecutionCommand({ executionArn }));
    }
  }

  /** Histories of all executions, by machine, in the order in which they were started. */
  async histories(): Promise<Readonly<Record<string, readonly (readonly HistoryEvent[])[]>>> {
    const { client, machines } = this.#service;
    const found: Record<string, readonly (readonly HistoryEvent[])[]> = {};
    for (const machine of machines) {
      const histories: (readonly HistoryEvent[])[] = [];
      for (const executionArn of await this.#executions(undefined, [machine])) {
        const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }));
        histories.push(events);
      }
      found[machine] = histories;
    }
    return found;
  }

  async #executions(
    statusFilter: 'RUNNING' | undefined,
    machines: readonly string[] = this.#service.machines,
  ): Promise<readonly string[]> {
    const { client, arnOf } = this.#service;
    const pages = await Promise.all(
      machines.map((machine) =>
        client.send(new ListExecutionsCommand({ stateMachineArn: arnOf(machine), statusFilter, maxResults: 1000 })),
      ),
    );
    return pages
      .flatMap(({ executions = [] }) => executions)
      .sort((one, other) => Number(one.startDate) - Number(other.startDate))
      .map(({ executionArn = '' }) => executionArn);
  }
}
