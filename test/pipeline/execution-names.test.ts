/** Executions of stages have names that a list of executions is read by. */
import { describe, expect, it } from 'vitest';
import { executionName } from '#functions/pipeline/stages/stage-requests.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

/** Names of the executions of run-stage so far. */
function namesOf(pipeline: Pipeline): readonly string[] {
  const names: string[] = [];
  const run = pipeline.machines.run.bind(pipeline.machines);
  pipeline.machines.run = (machine, input, name) => {
    if (machine === 'run-stage') names.push(name ?? 'none');
    return run(machine, input, name);
  };
  return names;
}

describe('names of executions of stages', () => {
  it('an execution of a stage is named after its run, cluster, waypoint and stage, and no two have the same name', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const names = namesOf(pipeline);
    pipeline.runner.trouble('kubernetes', 'platform');
    pipeline.runner.trouble('nodes', 'user');
    await pipeline.apply(large);
    const { runId } = await pipeline.manifest();
    const { cluster } = await pipeline.cluster();
    const all = (waypoint: string, ...stages: string[]) =>
      stages.map((stage) => `${runId}-${cluster}-${waypoint}-${stage}`);
    expect(names).toEqual([
      ...all('w00', 'infrastructure', 'configuration', 'kubernetes'),
      ...all('w01', 'infrastructure', 'configuration', 'kubernetes', 'nodes'),
      ...all('w01', 'nodes-undo', 'configuration-undo', 'infrastructure-undo'),
    ]);
  });

  it('an execution of a check for drift is named like one of a stage', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const names = namesOf(pipeline);
    await pipeline.call('/drift');
    await pipeline.settle();
    expect(names).toEqual([expect.stringMatching(/^shop-a0001-g1-d1-web-\w+-w00-drift$/)]);
  });

  it('a name of a long run is cut to 80 characters, and differs as the runs do', () => {
    const prefix = (run: string, waypoint = 'w00') => `runs/team/shop/${run}/${'c'.repeat(40)}-abcdefg/${waypoint}`;
    const runs = ['g1', 'g2'].map((generation) => `${'shop'.repeat(15)}-a0001-${generation}-a1`);
    const names = runs.map((run) =>
      executionName({ waypointPrefix: prefix(run), stage: 'infrastructure', mode: 'undo' }),
    );
    for (const name of names) expect(name).toMatch(/^shopshop[-\w]{1,72}-w00-infrastructure-undo$/);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(80);
    expect(new Set(names).size).toBe(2);
  });

  it('a stage whose execution exists already pauses and continues under another name: it is neither undone nor done next to it', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.ran.length = 0;
    const run = pipeline.machines.run.bind(pipeline.machines);
    pipeline.machines.run = (machine, input, name) => {
      if (!name?.endsWith('-w00-configuration')) return run(machine, input, name);
      throw new StateFault('StepFunctions.ExecutionAlreadyExistsException', `Execution Already Exists: ${name}`);
    };
    await pipeline.submit(large);
    expect(await pipeline.settle()).toEqual([{ status: 'SUCCEEDED' }]);
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'infrastructure', 'configuration', 'kubernetes', 'nodes']);
    expect(pipeline.machines.entered).toContain('reconcile-cluster/Stop Builds');
  });
});
