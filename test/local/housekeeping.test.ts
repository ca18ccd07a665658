/** The files of a platform that runs for months stay bounded. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBuildStore } from 'aws-on-loopback/codebuild/build-store.ts';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { type Execution, openExecutionStore } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepHouse } from '#local/housekeeping.ts';
import { temporaryDirectory } from './clients.ts';

const day = 24 * 3600 * 1000;
const now = Date.parse('2026-11-20T12:00:00Z');
const execution = (name: string, endedAt: number | null): Execution => ({
  arn: `arn:${name}`,
  machine: 'm',
  name,
  input: '{}',
  output: null,
  error: null,
  cause: null,
  status: endedAt === null ? 'RUNNING' : 'SUCCEEDED',
  startedAt: now - 100 * day,
  stoppedAt: endedAt,
  transitions: 1,
  followUp: 'none',
});

async function stores() {
  const directory = await temporaryDirectory();
  const executions = openExecutionStore(join(directory, 'executions.sqlite'));
  const builds = openBuildStore(join(directory, 'builds.sqlite'));
  onTestFinished(() => {
    executions.close();
    builds.close();
  });
  const logFile = join(directory, 'platform.log');
  const objects = { expire: async () => 0, trim: async () => 0 };
  return { directory, executions, builds, objects, logFile, logger: silentLogger };
}

describe('executions', () => {
  it('executions are deleted 90 days after their end, with their histories', async () => {
    const { executions } = await stores();
    for (const [name, ended] of [
      ['old', now - 91 * day],
      ['new', now - 89 * day],
      ['open', null],
    ] as const) {
      executions.insert(execution(name, ended));
      executions.append(`arn:${name}`, { type: 'ExecutionStarted', timestamp: 0 });
    }
    executions.sweep(now);
    expect(['old', 'new', 'open'].map((name) => executions.get(`arn:${name}`)?.name)).toEqual([
      undefined,
      'new',
      'open',
    ]);
    expect(['old', 'new', 'open'].map((name) => executions.history(`arn:${name}`).length)).toEqual([0, 1, 1]);
  });

  it('histories are kept within a size: the newest, and those of what runs', async () => {
    const { executions, directory } = await stores();
    const names = Array.from({ length: 3_000 }, (_, index) => `run-${index}`);
    executions.insert(execution('open', null));
    executions.append('arn:open', { type: 'ExecutionStarted', timestamp: 0 });
    for (const name of names) {
      executions.insert(execution(name, now));
      for (let event = 0; event < 4; event += 1)
        executions.append(`arn:${name}`, { type: 'TaskStateEntered', timestamp: 0, details: 'x'.repeat(1_000) });
    }
    executions.sweep(now, 8_000_000);
    expect(statSync(join(directory, 'executions.sqlite')).size).toBeLessThan(8_100_000);
    expect(executions.get('arn:run-0')).toBeDefined();
    expect(executions.history('arn:run-0')).toEqual([]);
    expect(executions.history('arn:run-2999')).toHaveLength(4);
    expect(executions.history('arn:open')).toHaveLength(1);
  });
});

describe('housekeeping', () => {
  it('builds that are 90 days old are removed, with their logs', async () => {
    const { directory, ...rest } = await stores();
    const log = (id: string): string => join(directory, `${id}.log`);
    for (const [id, age] of [
      ['old', 91],
      ['new', 1],
    ] as const) {
      writeFileSync(log(id), 'text');
      rest.builds.put({
        id: `p:${id}`,
        project: 'p',
        number: 1,
        status: 'SUCCEEDED',
        environment: {},
        image: 'local',
        timeoutMinutes: 1,
        logFile: log(id),
        queuedAt: now - age * day,
        startedAt: null,
        endedAt: now,
        process: null,
        reason: null,
      });
    }
    await keepHouse(rest, now);
    expect(() => statSync(log('old'))).toThrow('ENOENT');
    expect(readFileSync(log('new'), 'utf8')).toBe('text');
    expect(rest.builds.newest('p')).toEqual(['p:new']);
  });

  it('objects of runs and checks expire after a year, certificates of people after a day, states of before an edit after 90 days, as in AWS', async () => {
    const { directory: _, ...rest } = await stores();
    const asked: unknown[] = [];
    const expire = async (...given: unknown[]): Promise<number> => asked.push(given);
    const trimmed: unknown[] = [];
    const trim = async (...given: unknown[]): Promise<number> => trimmed.push(given);
    await keepHouse({ ...rest, objects: { expire, trim } }, now);
    const expired = [
      ['runs/', 365],
      ['checks/', 365],
      ['access/', 1],
      ['kept-states/', 90],
    ] as const;
    expect(asked).toEqual(expired.map(([prefix, days]) => ['kubeloom', prefix, new Date(now - days * day)]));
    expect(trimmed).toEqual([
      ['kubeloom', 'checks/', { bytes: 1024 ** 3, before: new Date(now - day / 8) }],
      ['kubeloom', 'runs/', { bytes: 4 * 1024 ** 3, before: new Date(now - 2 * day) }],
    ]);
  });

  it('a large log is moved aside, and logging continues in the same file', async () => {
    const { directory: _, ...rest } = await stores();
    writeFileSync(rest.logFile, 'x'.repeat(11 * 1024 * 1024));
    await keepHouse(rest, now);
    expect([statSync(rest.logFile).size, statSync(`${rest.logFile}.1`).size]).toEqual([0, 11 * 1024 * 1024]);
  });
});
