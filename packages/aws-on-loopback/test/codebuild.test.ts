/** CodeBuild on one machine: builds as child processes, and how they are ended. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { BatchGetBuildsCommand, StartBuildCommand, StopBuildCommand } from '@aws-sdk/client-codebuild';
import { describe, expect, it } from 'vitest';
import type { ProjectRun } from '../src/codebuild/build-run.ts';
import { parseStartBuild } from '../src/codebuild/build-shapes.ts';
import { openBuildStore } from '../src/codebuild/build-store.ts';
import { startBuilds } from '../src/codebuild/builds.ts';
import { groupMembers } from '../src/codebuild/process-group.ts';
import { silentLogger } from '../src/logger.ts';
import { refusal, temporaryDirectory } from './clients.ts';
import { startWorkbench, type Workbench } from './workbench.ts';

const shell = (script: string): ProjectRun => ({ kind: 'command', command: ['bash', '-c', script], directory: '/' });
const node = (script: string): ProjectRun => ({
  kind: 'command',
  command: [process.execPath, '-e', script],
  directory: '/',
});

async function start(bench: Workbench, projectName: string, more: object = {}): Promise<string> {
  const { build } = await bench.codebuild.send(new StartBuildCommand({ projectName, ...more }));
  return build?.id ?? '';
}

/** Waits for a line in the build's log: what the child says, never a time. */
async function output(bench: Workbench, id: string, word: string): Promise<string> {
  const file = bench.builds.get(id)?.logFile ?? '';
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.includes(word)) return text;
    await pause(10);
  }
}

/** All living processes that a build started, whatever group they are in. */
function processesWith(id: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CODEBUILD_BUILD_ID=${id}`);
    } catch {
      return false;
    }
  });
}

describe('builds', () => {
  it('a build runs with its environment and leaves its output in a log', async () => {
    const bench = await startWorkbench({ projects: { p: shell('echo "$SHOP_STAGE of $CODEBUILD_BUILD_ID"') } });
    const id = await start(bench, 'p', {
      environmentVariablesOverride: [{ name: 'SHOP_STAGE', value: 'nodes', type: 'PLAINTEXT' }],
    });
    expect(await bench.builds.ended(id)).toMatchObject({ status: 'SUCCEEDED', project: 'p' });
    expect(await output(bench, id, 'of')).toBe(`nodes of ${id}\n`);
    const { builds, buildsNotFound } = await bench.codebuild.send(new BatchGetBuildsCommand({ ids: [id, 'p:none'] }));
    expect(builds?.[0]).toMatchObject({ id, buildStatus: 'SUCCEEDED', buildComplete: true, currentPhase: 'COMPLETED' });
    expect(buildsNotFound).toEqual(['p:none']);
  });

  it('a build gets nothing of our own environment but what a container would have', async () => {
    process.env.SECRET_OF_OURS = 'x';
    const bench = await startWorkbench({ projects: { p: shell('env') } });
    const id = await start(bench, 'p');
    await bench.builds.ended(id);
    delete process.env.SECRET_OF_OURS;
    expect(await output(bench, id, 'CODEBUILD_BUILD_ID')).not.toContain('SECRET_OF_OURS');
  });

  it('a build fails by exit code, and is a fault when the program does not exist', async () => {
    const missing: ProjectRun = { kind: 'command', command: ['/no/such/program'], directory: '/' };
    const bench = await startWorkbench({ projects: { p: shell('exit 3'), missing } });
    expect(await bench.builds.ended(await start(bench, 'p'))).toMatchObject({
      status: 'FAILED',
      reason: 'exit code 3',
    });
    expect(await bench.builds.ended(await start(bench, 'missing'))).toMatchObject({ status: 'FAULT' });
    expect((await refusal(start(bench, 'none'))).name).toBe('ResourceNotFoundException');
  });

  it('a build runs on the image that it was started with, and fails where no one has that image', async () => {
    const [log, store] = [await temporaryDirectory(), openBuildStore(':memory:')];
    const project = { name: 'p', run: shell('echo now'), images: { before: shell('echo before') }, environment: {} };
    const builds = startBuilds({ projects: [project], store, logDirectory: log, logger: silentLogger });
    const run = async (imageOverride?: string) => {
      const input = parseStartBuild({ projectName: 'p', ...(imageOverride !== undefined && { imageOverride }) });
      const { status, logFile, reason, image } = await builds.ended(builds.start(input).id);
      return { status, image, output: reason ?? readFileSync(logFile, 'utf8') };
    };
    expect(await run()).toEqual({ status: 'SUCCEEDED', image: 'local', output: 'now\n' });
    expect(await run('local')).toEqual({ status: 'SUCCEEDED', image: 'local', output: 'now\n' });
    expect(await run('before')).toEqual({ status: 'SUCCEEDED', image: 'before', output: 'before\n' });
    expect(await run('gone')).toMatchObject({
      status: 'FAULT',
      output: expect.stringContaining('Unable to pull image gone'),
    });
    store.close();
  });

  it('a build that is stopped is killed without a signal, as in CodeBuild', async () => {
    const script =
      "process.on('SIGINT',()=>console.log('signal'));process.on('SIGTERM',()=>console.log('signal'));setInterval(()=>{},1e3);console.log('up')";
    const bench = await startWorkbench({ projects: { p: node(script) } });
    const id = await start(bench, 'p');
    await output(bench, id, 'up');
    await bench.codebuild.send(new StopBuildCommand({ id }));
    expect(await bench.builds.ended(id)).toMatchObject({ status: 'STOPPED', reason: 'ended by SIGKILL' });
    expect(await output(bench, id, 'up')).toBe('up\n');
  });

  it('a build that is stopped is killed with everything that it started, also what has left its process group', async () => {
    const script = 'setsid bash -c "trap \'\' INT TERM; echo child; while :; do sleep 5; done" & wait; sleep 60';
    const bench = await startWorkbench({ projects: { p: shell(script) } });
    const id = await start(bench, 'p');
    await output(bench, id, 'child');
    expect(processesWith(id).length).toBeGreaterThan(1);
    bench.builds.stop(id);
    expect((await bench.builds.ended(id)).status).toBe('STOPPED');
    expect(processesWith(id)).toEqual([]);
  });

  it('a platform that ends interrupts its builds, which can clean up', async () => {
    const script =
      "process.on('SIGINT',()=>{console.log('tidy');process.exit(1)});setInterval(()=>{},1e3);console.log('up')";
    const bench = await startWorkbench({ projects: { p: node(script) } });
    const id = await start(bench, 'p');
    await output(bench, id, 'up');
    await bench.builds.shutDown();
    expect(bench.builds.get(id)?.status).toBe('STOPPED');
    expect(await output(bench, id, 'tidy')).toBe('up\ntidy\n');
  });

  it('a build that is refused because the queue is full was not started', async () => {
    const bench = await startWorkbench({ projects: { p: shell('sleep 60') }, concurrency: 1 });
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push(await start(bench, 'p'));
    expect((await refusal(start(bench, 'p'))).name).toBe('AccountLimitExceededException');
    expect(bench.builds.newest('p')).toHaveLength(6);
    for (const id of ids) bench.builds.stop(id);
    await Promise.all(ids.map((id) => bench.builds.ended(id)));
  });

  it('a build that ends takes its background processes with it', async () => {
    const bench = await startWorkbench({ projects: { p: shell('sleep 60 & echo left; exit 0') } });
    const id = await start(bench, 'p');
    await output(bench, id, 'left');
    expect((await bench.builds.ended(id)).status).toBe('SUCCEEDED');
    expect(processesWith(id)).toEqual([]);
  });

  it('a build whose time is up is killed, and has timed out', async () => {
    const bench = await startWorkbench({ projects: { p: shell('sleep 60') }, graceMs: 50 });
    const id = await start(bench, 'p', { timeoutInMinutesOverride: 0.001 });
    expect((await bench.builds.ended(id)).status).toBe('TIMED_OUT');
  });

  it('a build waits in the queue for its turn, and can be stopped there', async () => {
    const bench = await startWorkbench({ projects: { p: shell('sleep 60') }, concurrency: 1, graceMs: 50 });
    const first = await start(bench, 'p');
    const second = await start(bench, 'p');
    const { builds } = await bench.codebuild.send(new BatchGetBuildsCommand({ ids: [second] }));
    expect(builds?.[0]).toMatchObject({ currentPhase: 'QUEUED', buildStatus: 'IN_PROGRESS' });
    bench.builds.stop(second);
    expect((await bench.builds.ended(second)).status).toBe('STOPPED');
    bench.builds.stop(first);
    expect((await bench.builds.ended(first)).status).toBe('STOPPED');
  });

  it('a build whose time in the queue is up times out there, and is never started', async () => {
    const bench = await startWorkbench({ projects: { p: shell('sleep 60') }, concurrency: 1, graceMs: 50 });
    const first = await start(bench, 'p');
    const second = await start(bench, 'p', { queuedTimeoutInMinutesOverride: 0.001 });
    expect(await bench.builds.ended(second)).toMatchObject({ status: 'TIMED_OUT', startedAt: null });
    const { builds } = await bench.codebuild.send(new BatchGetBuildsCommand({ ids: [second] }));
    expect(builds?.[0]?.phases?.[0]).toMatchObject({ phaseType: 'QUEUED', phaseStatus: 'TIMED_OUT' });
    bench.builds.stop(first);
    await bench.builds.ended(first);
    expect(processesWith(second)).toEqual([]);
  });

  it('a build that is started twice with the same token is one build', async () => {
    const bench = await startWorkbench({ projects: { p: shell('true') } });
    const first = await start(bench, 'p', { idempotencyToken: 'a' });
    expect(await start(bench, 'p', { idempotencyToken: 'a' })).toBe(first);
    const other = start(bench, 'p', { idempotencyToken: 'a', timeoutInMinutesOverride: 5 });
    expect((await refusal(other)).name).toBe('InvalidInputException');
  });

  it('a build in this process is stopped by its signal', async () => {
    const bench = await startWorkbench({
      projects: {
        p: {
          kind: 'function',
          run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
        },
      },
    });
    const id = await start(bench, 'p');
    bench.builds.stop(id);
    expect((await bench.builds.ended(id)).status).toBe('STOPPED');
  });
});

describe('after a crash of the platform', () => {
  it('the processes that a lost build left are ended, and nothing else', async () => {
    const bench = await startWorkbench({ projects: { p: shell("trap '' INT; echo up; sleep 60 & wait; sleep 60") } });
    const id = await start(bench, 'p');
    await output(bench, id, 'up');
    const build = bench.builds.get(id);
    const next = await startWorkbench({ directory: bench.directory, graceMs: 100 });
    await next.builds.recover();
    expect(next.builds.get(id)).toMatchObject({ status: 'STOPPED' });
    expect(groupMembers(build?.process?.pid ?? 0, `CODEBUILD_BUILD_ID=${id}`)).toEqual([]);
    await bench.builds.ended(id);
  });

  it('a build is ended whose process the platform had started and not yet written down', async () => {
    const bench = await startWorkbench({ projects: { p: shell('echo up; sleep 60 & wait') } });
    const id = await start(bench, 'p');
    await output(bench, id, 'up');
    const build = bench.builds.get(id);
    if (!build?.process) throw new Error('the build has no process');
    const store = openBuildStore(':memory:');
    store.put({ ...build, startedAt: null, process: null });
    const logDirectory = bench.directory;
    const builds = startBuilds({ projects: [], store, logDirectory, graceMs: 50, logger: silentLogger });
    await builds.recover();
    expect(store.get(id)).toMatchObject({ status: 'STOPPED' });
    store.close();
    expect(groupMembers(build.process.pid, `CODEBUILD_BUILD_ID=${id}`)).toEqual([]);
    await bench.builds.ended(id);
  });

  it('a process that only has the id of a lost build is not touched', async () => {
    const bench = await startWorkbench({ projects: { p: shell('echo up; sleep 60') } });
    const id = await start(bench, 'p');
    await output(bench, id, 'up');
    const build = bench.builds.get(id);
    if (!build?.process) throw new Error('the build has no process');
    const store = openBuildStore(':memory:');
    store.put({ ...build, id: 'p:another', process: { pid: build.process.pid, startedAt: 'another boot:1' } });
    const builds = startBuilds({
      projects: [],
      store,
      logDirectory: bench.directory,
      graceMs: 50,
      logger: silentLogger,
    });
    await builds.recover();
    store.close();
    expect(groupMembers(build.process.pid, `CODEBUILD_BUILD_ID=${id}`)).not.toEqual([]);
    bench.builds.stop(id);
    await bench.builds.ended(id);
  });
});
