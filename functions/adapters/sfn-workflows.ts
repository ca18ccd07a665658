/** `Workflows` on Step Functions. */
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { StateError } from '#contracts/state-inputs.ts';
import type { Workflows } from '../ports.ts';

export class SfnWorkflows implements Workflows {
  readonly #client: SFNClient;
  readonly #reconcileArn: string;

  constructor(client: SFNClient, reconcileArn: string) {
    this.#client = client;
    this.#reconcileArn = reconcileArn;
  }

  /** A name is given out once: an execution of that name that has ended was this very run, so it is not started again. */
  async startReconcile(runId: string, input: { namespace: string; name: string }): Promise<string> {
    const document = JSON.stringify({ namespace: input.namespace, name: input.name });
    const command = new StartExecutionCommand({ stateMachineArn: this.#reconcileArn, name: runId, input: document });
    try {
      return (await this.#client.send(command)).executionArn ?? this.#arnOf(runId);
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return this.#arnOf(runId);
      throw error;
    }
  }

  async status(executionArn: string): Promise<string | undefined> {
    return (await this.#describe(executionArn))?.status;
  }

  async fault(executionArn: string): Promise<StateError | undefined> {
    const found = await this.#describe(executionArn);
    return found?.error === undefined ? undefined : { Error: found.error, Cause: found.cause ?? '' };
  }

  async #describe(executionArn: string): Promise<DescribeExecutionCommandOutput | undefined> {
    try {
      return await this.#client.send(new DescribeExecutionCommand({ executionArn }));
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }

  async stop(executionArn: string, cause: string): Promise<void> {
    try {
      await this.#client.send(new StopExecutionCommand({ executionArn, cause }));
    } catch (error) {
      if (!(error instanceof ExecutionDoesNotExist)) throw error;
    }
  }

  #arnOf(runId: string): string {
    return `${this.#reconcileArn.replace(':stateMachine:', ':execution:')}:${runId}`;
  }
}
