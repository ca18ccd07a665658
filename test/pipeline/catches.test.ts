/** Every Catch of every machine is walked once, those of roll-outs in `roll-out-catches.test.ts`: the pipeline ends truthfully whatever of it breaks. */
import { describe, expect, it } from 'vitest';
import { catchesOf, machineNames } from './harness/asl-files.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { internalFault, StateFault, StateMachines } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 1 } }]);
const walked = new Set<string>();

async function caughtBy(pipeline: Pipeline): Promise<void> {
  await pipeline.settle();
  for (const state of pipeline.machines.caught) walked.add(state);
}

describe('functions that fail', () => {
  for (const name of ['take-lease', 'plan-manifest', 'settle-manifest']) {
    it(`a failure of ${name} fails the run and frees the lease`, async () => {
      const pipeline = new Pipeline();
      pipeline.faults.set(name, internalFault());
      await pipeline.submit(small);
      await caughtBy(pipeline);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', lease: null });
      expect((await pipeline.runs())[0]).toMatchObject({ status: 'Failed' });
      await pipeline.retry();
      await pipeline.settle();
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    });
  }

  it('a failure of plan-cluster leaves the cluster in NeedsAttention, with the reason', async () => {
    const pipeline = new Pipeline();
    pipeline.faults.set('plan-cluster', internalFault());
    await pipeline.submit(small);
    await caughtBy(pipeline);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'NeedsAttention',
      failure: { class: 'bug', message: 'it broke' },
    });
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('a failure of commit-waypoint forgets no node: the next attempt adopts what was created', async () => {
    const pipeline = new Pipeline();
    pipeline.faults.set('commit-waypoint', internalFault());
    await pipeline.submit(small);
    await caughtBy(pipeline);
    const stuck = await pipeline.cluster();
    expect(stuck).toMatchObject({ status: 'NeedsAttention', current: null });
    const names = await pipeline.nodes();
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
    expect(await pipeline.nodes()).toEqual(names);
  });

  it('a failure of assess-failure leaves the cluster as it is, with the cause from the stage', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    pipeline.faults.set('assess-failure', internalFault());
    await pipeline.submit(small);
    await caughtBy(pipeline);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { code: 'ToolFailed' } });
  });

  it('a failure of record-rollback leaves the cluster as it is; a retry starts from the current state', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    pipeline.faults.set('record-rollback', internalFault());
    await pipeline.submit(small);
    await caughtBy(pipeline);
    expect((await pipeline.cluster()).status).toBe('NeedsAttention');
    await pipeline.retry();
    await pipeline.settle();
    expect((await pipeline.cluster()).status).toBe('Converged');
  });

  it('a failure of record-standstill still fails the execution with the first cause', async () => {
    const pipeline = new Pipeline();
    pipeline.faults.set('plan-cluster', internalFault());
    pipeline.faults.set('record-standstill', internalFault());
    await pipeline.submit(small);
    await caughtBy(pipeline);
    expect((await pipeline.manifest()).status).toBe('Failed');
  });

  it('a failure of collect-result fails the stage, and the waypoint is undone', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.faults.set('collect-result', internalFault());
    await pipeline.submit(large);
    await caughtBy(pipeline);
    expect(await pipeline.cluster()).toMatchObject({
      status: 'RolledBack',
      failure: { class: 'bug', code: 'InternalFault', message: 'it broke', stage: 'infrastructure' },
    });
    expect(await pipeline.nodes()).toHaveLength(3);
  });

  it('a failure of record-drift leaves the cluster as it is; a retry starts from the current state', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.faults.set('record-drift', internalFault());
    expect((await pipeline.call('/drift')).status).toBe(202);
    await caughtBy(pipeline);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { message: 'it broke' } });
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('a failure of stop-builds, release-run or start-next-attempt is repaired by the scheduler', async () => {
    for (const name of ['stop-builds', 'release-run', 'start-next-attempt']) {
      const pipeline = new Pipeline();
      pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll());
      pipeline.faults.set(name, internalFault());
      await pipeline.submit(small);
      await caughtBy(pipeline);
      pipeline.deps.clock.advance(3600);
      await pipeline.invoke('tick', {});
      await caughtBy(pipeline);
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done', lease: null });
    }
  });
});

describe('stages that fail', () => {
  const directions = [
    { stages: ['infrastructure', 'configuration', 'kubernetes', 'nodes'], from: small, to: large },
    { stages: ['nodes', 'configuration', 'infrastructure'], from: large, to: small },
  ] as const;

  for (const { stages, from, to } of directions)
    for (const stage of stages)
      it(`a failure of stage ${stage}, ${from === small ? 'forward' : 'backward'}, is assessed`, async () => {
        const pipeline = new Pipeline();
        await pipeline.apply(from);
        pipeline.runner.trouble(stage, 'user');
        await pipeline.submit(to);
        await caughtBy(pipeline);
        expect((await pipeline.cluster()).failure).toMatchObject({ stage, class: 'user' });
      });

  it.each([
    ['the image of its run', {}],
    ['the image of its project', { KUBELOOM_RUNNER_RELEASE: '' }],
  ])('a stage on %s whose build cannot be stopped is not retried', async (_, environment) => {
    const pipeline = new Pipeline(environment);
    await pipeline.apply(small);
    const { builds } = pipeline.deps;
    pipeline.runner.ran.length = 0;
    pipeline.runner.trouble('configuration', () => {
      builds.runningBuilds.set(pipeline.runner.prefixes.at(-1) ?? '', ['ansible:late']);
      builds.endsAfterStops = Number.POSITIVE_INFINITY;
      throw new StateFault('States.Timeout', 'its time was up');
    });
    await pipeline.submit(large);
    await caughtBy(pipeline);
    expect(pipeline.runner.ran.filter((stage) => stage === 'configuration')).toHaveLength(1);
    expect((await pipeline.cluster()).failure).toMatchObject({ class: 'stuck', stage: 'configuration' });
  });

  it('a cluster of an interrupted run needs attention when no one can see whether a build of it is left', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('configuration', () => pipeline.machines.abortAll());
    let looks = 0;
    pipeline.before.set('stop-builds', () => {
      looks += 1;
      // What finished the run has seen none.
      if (looks === 2) throw internalFault();
    });
    pipeline.runner.ran.length = 0;
    await pipeline.submit(large);
    await caughtBy(pipeline);
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'configuration']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { message: 'it broke' } });
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged' });
  });

  it('a failure of stage traffic, in a grow or a shrink, is assessed', async () => {
    const two = manifestOf([{ balanced: true, compute: { work: 1, more: 1 } }]);
    const one = manifestOf([{ balanced: true, compute: { work: 1 } }]);
    for (const [from, to] of [
      [one, two],
      [two, one],
    ]) {
      const pipeline = new Pipeline();
      await pipeline.apply(from);
      pipeline.runner.trouble('traffic', 'user');
      await pipeline.submit(to);
      await caughtBy(pipeline);
      expect((await pipeline.cluster()).failure).toMatchObject({ stage: 'traffic', class: 'user' });
    }
  });

  it('a stage without work is passed where no execution can be started: nothing is undone', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.ran.length = 0;
    const run = pipeline.machines.run.bind(pipeline.machines);
    pipeline.machines.run = (machine, input, name) => {
      if (!JSON.stringify(input).includes('"stage":"traffic","mode":"do"')) return run(machine, input, name);
      throw new StateFault('StepFunctions.StateMachineDoesNotExistException', 'there is no run-stage');
    };
    await pipeline.submit(large);
    await pipeline.settle();
    expect(pipeline.runner.ran).toEqual(['infrastructure', 'configuration', 'kubernetes', 'nodes']);
    expect(await pipeline.cluster()).toMatchObject({ status: 'Converged', failure: null });
  });

  it('a failure of stage kubernetes, while static machines are returned, is assessed', async () => {
    const pipeline = new Pipeline();
    const document = manifestOf([{ machines: 2 }]);
    await pipeline.apply(document);
    pipeline.runner.trouble('kubernetes', 'user');
    await pipeline.submit(document, true);
    await caughtBy(pipeline);
    expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { stage: 'kubernetes' } });
    await pipeline.retry();
    await pipeline.settle();
    expect(await pipeline.clusters()).toEqual([]);
  });

  it('a failure of a drift check is reported, and the manifest stays Done', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    pipeline.runner.trouble('drift', 'credentials');
    expect((await pipeline.call('/drift')).status).toBe(202);
    await caughtBy(pipeline);
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
    expect((await pipeline.cluster()).drift?.unchecked[0]).toContain('the tool refused');
  });

  it('a failure of an undo stage leaves the cluster in NeedsAttention', async () => {
    for (const stage of ['nodes', 'configuration', 'infrastructure'] as const) {
      const pipeline = new Pipeline();
      await pipeline.apply(small);
      pipeline.runner.trouble('nodes', 'user');
      pipeline.runner.trouble(stage, 'user', { mode: 'undo' });
      await pipeline.submit(large);
      await caughtBy(pipeline);
      expect(await pipeline.cluster()).toMatchObject({ status: 'NeedsAttention', failure: { stage } });
    }
  });
});

describe('questions', () => {
  it('a question whose build cannot be started ends with the words of CodeBuild', async () => {
    const full = new StateFault('CodeBuild.AccountLimitExceededException', 'Cannot have more than 1 builds in queue');
    const machines = new StateMachines({ invoke: () => Promise.reject(full), build: () => Promise.reject(full) });
    const outcome = await machines.run('ask-runner', { kind: 'ssh', job: 'access/team/shop/shop/ssh-1/1' });
    expect(outcome).toEqual({ status: 'FAILED', error: full.name, cause: full.message });
    for (const state of machines.caught) walked.add(state);
  });
});

describe('all state machines', () => {
  it('every Catch of every state machine except those of roll-outs is entered by these scenarios', () => {
    const all = machineNames.filter((name) => !name.endsWith('roll-out')).flatMap(catchesOf);
    expect(all.filter((state) => !walked.has(state))).toEqual([]);
  });
});
