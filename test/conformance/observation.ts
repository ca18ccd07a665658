/** What can be seen of a scenario once everything has come to rest. */
import { readdirSync } from 'node:fs';
import type { HistoryEvent } from '@aws-sdk/client-sfn';
import { key, Pipeline } from '#test/pipeline/harness/pipeline.ts';
import type { ValidationContext } from '#test/pipeline/harness/state-machines.ts';
import type { Scenario } from './scenario.ts';
import type { ServiceMachines } from './service-machines.ts';

/** Names of all task functions. */
export const tasks: readonly string[] = readdirSync(new URL('../../functions/tasks', import.meta.url)).map((file) =>
  file.replace(/\.ts$/, ''),
);

export interface Observed {
  /** Outcomes, what is stored, what runners did. */
  readonly records: object;
  /** States entered and how each execution ended, by machine; executions may begin in the same millisecond. */
  readonly walked: Readonly<Record<string, readonly (readonly string[])[]>>;
}

export async function observe(
  scenario: Scenario,
  machinesFor: (around: ValidationContext) => Promise<ServiceMachines>,
): Promise<Observed> {
  const around: ValidationContext = {
    invoke: async (name, input) => withoutPause(await pipeline.invoke(name, input)),
    build: (request) => pipeline.runner.build(request),
    refusal: (variables) => pipeline.runner.refusal(variables),
  };
  const machines = await machinesFor(around);
  const pipeline = new Pipeline(scenario.environment, () => machines);
  const outcomes = await scenario.play(pipeline);
  const records = {
    outcomes: outcomes.map(({ status, error }) => ({ status, ...(error !== undefined && { error }) })),
    ...(await stored(pipeline)),
    ran: scenario.loose ? pipeline.runner.ran.toSorted() : pipeline.runner.ran,
  };
  return { records, walked: walkOf(await machines.histories()) };
}

/** These services have no clock of ours: what a function asks to wait for is over at once. */
function withoutPause(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('pauseSeconds' in output)) return output;
  return { ...output, pauseSeconds: 0 };
}

async function stored(pipeline: Pipeline): Promise<object> {
  const manifest = await pipeline.deps.manifests.get(key);
  const clusters = await pipeline.clusters();
  const events = (await pipeline.events()).map(({ kind }) => kind);
  return {
    manifest: manifest
      ? {
          status: manifest.status,
          generation: manifest.generation,
          attempt: manifest.attempt,
          held: manifest.lease !== null,
        }
      : null,
    clusters: clusters
      .map(({ status, failure, attempted }) => ({
        status,
        attempted: attempted !== null,
        failure: failure && { class: failure.class, code: failure.code, stage: failure.stage },
      }))
      .toSorted((one, other) => one.status.localeCompare(other.status)),
    runs: (await pipeline.runs()).map(({ status }) => status),
    events: events.toSorted(),
    nodes: [...pipeline.runner.world.values()].reduce((sum, nodes) => sum + nodes.size, 0),
  };
}

function walkOf(
  histories: Readonly<Record<string, readonly (readonly HistoryEvent[])[]>>,
): Readonly<Record<string, readonly (readonly string[])[]>> {
  return Object.fromEntries(
    Object.entries(histories).map(([machine, executions]) => [
      machine,
      executions.map(stepsOf).toSorted((one, other) => one.join().localeCompare(other.join())),
    ]),
  );
}

const stepsOf = (events: readonly HistoryEvent[]): readonly string[] =>
  events.flatMap(({ type = '', stateEnteredEventDetails: entered }) =>
    entered ? [`${type.replace('StateEntered', '')} ${entered.name}`] : /^Execution/.test(type) ? [type] : [],
  );
