/** `Workflows` on Step Functions. */
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  type SFNClientConfig,
  StartExecutionCommand,
  StartSyncExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { type AskRunnerInput, AskRunnerOutput, type RollOutInput, type StateError } from '#contracts/state-inputs.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Workflows } from '../ports.ts';

/** ARNs of the machines that it starts. */
interface Machines {
  readonly reconcile: string;
  readonly rollOut: string;
  readonly askRunner: string;
}

export class SfnWorkflows implements Workflows {
  readonly #client: SFNClient;
  readonly #machines: Machines;

  constructor(client: SFNClient, machines: Machines) {
    this.#client = client;
    this.#machines = machines;
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: SFNClientConfig, machines: Machines): SfnWorkflows {
    return new SfnWorkflows(new SFNClient(options), machines);
  }

  /** A name is given out once: an execution of that name that has ended was this very run, so it is not started again. */
  async startReconcile(runId: string, input: { namespace: string; name: string }): Promise<string> {
    return this.#start(this.#machines.reconcile, runId, { namespace: input.namespace, name: input.name });
  }

  async startRollOut(name: string, { namespace, id, execution }: RollOutInput): Promise<string> {
    return this.#start(this.#machines.rollOut, name, { namespace, id, execution });
  }

  async askRunner({ kind, job }: AskRunnerInput): Promise<string> {
    const input = JSON.stringify({ kind, job });
    const command = new StartSyncExecutionCommand({ stateMachineArn: this.#machines.askRunner, input });
    const { status, output = '', error, cause } = await this.#client.send(command);
    if (status === 'SUCCEEDED') return AskRunnerOutput.parse(JSON.parse(output)).buildId;
    const name = error === 'QuestionRefused' ? 'InternalFault' : 'ServiceUnavailable';
    throw new PipelineError(name, `no build could be started for this request: ${cause || error || status}`);
  }

  async #start(stateMachineArn: string, name: string, input: object): Promise<string> {
    const arn = executionOf(stateMachineArn, name);
    try {
      const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
      return (await this.#client.send(command)).executionArn ?? arn;
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return arn;
      throw error;
    }
  }

  async status(executionArn: string): Promise<string | undefined> {
    return (await this.#describe(executionArn))?.status;
  }

  async statusOfRun(runId: string): Promise<string | undefined> {
    return this.status(executionOf(this.#machines.reconcile, runId));
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
}

const executionOf = (stateMachineArn: string, name: string): string =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
