/** What the metadata services of three clouds announce, and how a node says it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { metadataService } from '#agent/notices/metadata-service.ts';
import { noticeReaders, type Saying, sayNotices } from '#agent/notices/say-notices.ts';
import { gravest } from '#domain/node-notice.ts';
import { type Announced, awsEvent, azureEvent, type MetadataServer, metadataServer } from './metadata-server.ts';

let server: MetadataServer;
beforeAll(async () => {
  server = await metadataServer();
});
afterAll(() => server.close());
beforeEach(() => announce({}));

function announce(some: Partial<Announced>): void {
  Object.assign(server.announced, {
    aws: { maintenance: [] },
    azure: [],
    gcp: { preempted: 'FALSE', maintenance: 'NONE' },
    ...some,
  });
}

type Cloud = Saying['cloud'];
const reader = (cloud: Cloud) => noticeReaders[cloud](metadataService(server.base), () => new Date());

it.each(['aws', 'azure', 'gcp'] as const)('a machine of %s without a notice has none', async (cloud) => {
  expect(await reader(cloud)()).toEqual([]);
});

const soon = '2027-01-18T08:22:00Z';
const aws = (some: Partial<Announced['aws']>): Partial<Announced> => ({ aws: { maintenance: [], ...some } });

it.each<[string, Cloud, Partial<Announced>, object | undefined]>([
  ['an interruption ends it', 'aws', aws({ action: { action: 'terminate', time: soon } }), { kind: 'ends', by: soon }],
  ['a stop ends it', 'aws', aws({ action: { action: 'stop', time: soon } }), { kind: 'ends', by: soon }],
  ['a recommendation puts it at risk', 'aws', aws({ rebalance: { noticeTime: soon } }), { kind: 'atRisk' }],
  [
    'an interruption counts more than a recommendation',
    'aws',
    aws({ action: { action: 'hibernate', time: soon }, rebalance: { noticeTime: soon } }),
    { kind: 'ends', by: soon },
  ],
  ['a reboot in minutes restarts it', 'aws', aws({ maintenance: [awsEvent('system-reboot', 5)] }), { kind: 'returns' }],
  ['a reboot in days says nothing yet', 'aws', aws({ maintenance: [awsEvent('instance-reboot', 9000)] }), undefined],
  [
    'a retirement in days puts it at risk',
    'aws',
    aws({ maintenance: [awsEvent('instance-retirement', 9000)] }),
    { kind: 'atRisk' },
  ],
  [
    'maintenance of the network pauses it',
    'aws',
    aws({ maintenance: [awsEvent('system-maintenance', 5)] }),
    { kind: 'pauses' },
  ],
  [
    'a completed event says nothing',
    'aws',
    aws({ maintenance: [awsEvent('system-reboot', -5, { State: 'completed' })] }),
    undefined,
  ],
  ['Preempt ends it', 'azure', { azure: [azureEvent('Preempt')] }, { kind: 'ends', by: '2027-04-11T22:26:58.000Z' }],
  ['Terminate ends it', 'azure', { azure: [azureEvent('Terminate')] }, { kind: 'ends' }],
  ['Reboot restarts it', 'azure', { azure: [azureEvent('Reboot')] }, { kind: 'returns' }],
  [
    'Redeploy that started restarts it',
    'azure',
    { azure: [azureEvent('Redeploy', { EventStatus: 'Started', NotBefore: '' })] },
    { kind: 'returns' },
  ],
  ['Freeze pauses it', 'azure', { azure: [azureEvent('Freeze')] }, { kind: 'pauses' }],
  [
    'an event of another machine says nothing',
    'azure',
    { azure: [azureEvent('Preempt', { Resources: ['other-1'] })] },
    undefined,
  ],
  [
    'an event that is completed says nothing',
    'azure',
    { azure: [azureEvent('Reboot', { EventStatus: 'Completed' })] },
    undefined,
  ],
  ['a preemption ends it', 'gcp', { gcp: { preempted: 'TRUE', maintenance: 'NONE' } }, { kind: 'ends' }],
  [
    'a migration pauses it',
    'gcp',
    { gcp: { preempted: 'FALSE', maintenance: 'MIGRATE_ON_HOST_MAINTENANCE' } },
    { kind: 'pauses' },
  ],
  [
    'a host that stops restarts it',
    'gcp',
    { gcp: { preempted: 'FALSE', maintenance: 'TERMINATE_ON_HOST_MAINTENANCE' } },
    { kind: 'returns' },
  ],
])('%s (%s)', async (_, cloud, some, expected) => {
  announce(some);
  const found = gravest(await reader(cloud)());
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

it('a token of AWS that is worth nothing any more costs one round', async () => {
  const read = reader('aws');
  expect(await read()).toEqual([]);
  server.forgetTokens();
  await expect(read()).rejects.toThrow('401');
  expect(await read()).toEqual([]);
});

describe('a node of a cloud', () => {
  function places(): Pick<Saying, 'directory' | 'lastWords'> & { readonly words: () => string } {
    const directory = mkdtempSync(join(tmpdir(), 'kubeloom-notices-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const lastWords = join(directory, 'last-words');
    return { directory, lastWords, words: () => (existsSync(lastWords) ? readFileSync(lastWords, 'utf8') : '') };
  }

  /** One container, until it ends or the time is over. */
  function container(at: Pick<Saying, 'directory' | 'lastWords'>, base = server.base, onSay = (): void => undefined) {
    const stop = new AbortController();
    const { directory, lastWords } = at;
    const ended = sayNotices({
      cloud: 'gcp',
      base,
      directory,
      lastWords,
      everyMs: 1,
      unknownMs: 0,
      signal: stop.signal,
      say: onSay,
    });
    return { ended, stop: () => stop.abort() };
  }

  it('a node says a notice once, keeps saying it however its container ends, and says when it is over', async () => {
    const at = places();
    announce({ gcp: { preempted: 'FALSE', maintenance: 'MIGRATE_ON_HOST_MAINTENANCE' } });
    expect(await container(at).ended).toEqual({ kind: 'pauses' });
    expect(at.words()).toBe('{"kind":"pauses"}');
    // A new container has no last words before it says some.
    rmSync(at.lastWords);
    const second = container(at);
    expect(at.words()).toBe('{"kind":"pauses"}');
    announce({});
    expect(await second.ended).toEqual({ kind: 'none' });
    expect(at.words()).toBe('{"kind":"none"}');
  });

  it('a node without a notice says nothing, and that the notices are known', async () => {
    const at = places();
    const one = container(at);
    await expect.poll(() => existsSync(join(at.directory, 'known'))).toBe(true);
    one.stop();
    expect(await one.ended).toBeUndefined();
    expect(at.words()).toBe('');
  });

  it('a node whose metadata service does not answer takes nothing back, and no longer counts as known', async () => {
    const at = places();
    announce({ gcp: { preempted: 'TRUE', maintenance: 'NONE' } });
    await container(at).ended;
    const known = container(at);
    await expect.poll(() => existsSync(join(at.directory, 'known'))).toBe(true);
    known.stop();
    await known.ended;
    let faults = 0;
    const silent = container(at, 'http://127.0.0.1:9', () => {
      faults += 1;
    });
    await expect.poll(() => existsSync(join(at.directory, 'known'))).toBe(false);
    silent.stop();
    expect(await silent.ended).toBeUndefined();
    expect(at.words()).toContain('"kind":"ends"');
    expect(faults, 'the same fault is reported once').toBe(1);
  });
});
