/** What a description and a live view look like: as wide as the terminal, short where there is much, with a way out of failures. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openLiveView } from '#cli/follow/live-view.ts';
import { describeManifest } from '#cli/print/describe-manifest.ts';
import { eventLines } from '#cli/print/event-lines.ts';
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';
import type { FailureReport } from '#contracts/failure-report.ts';
import { described, happened, moment } from './watched-api.ts';

const node = (number: number, change: Partial<NodeRow> = {}): NodeRow => ({
  name: `compute-1a2b3c4-${number}`,
  pool: 'compute',
  role: 'compute',
  provider: 'sim-1',
  privateAddress: `192.168.2.${number}`,
  status: 'Ready',
  ...change,
});

const cluster = (change: Partial<ClusterDescription>): ClusterDescription => ({
  cluster: 'web-1a2b3c4',
  name: 'web',
  status: 'Converged',
  kubernetesVersion: '1.36.0',
  network: '192.168.2.0/24',
  apiEndpoint: null,
  progress: null,
  nodes: [],
  loadBalancers: [],
  failure: null,
  heldPools: [],
  demand: null,
  drift: null,
  simulated: [],
  kubeconfigPath: null,
  ...change,
});

const failure: FailureReport = {
  class: 'quota',
  code: 'TerraformApplyFailed',
  message: 'limit of 5 servers reached',
  runId: 'r',
  at: moment(0),
  hint: 'Ask the provider for a higher limit.',
  outcome: 'The grow was undone.',
  stage: 'infrastructure',
};

describe('a description', () => {
  it('a description fits the width of the terminal, except for longer words', () => {
    const nodes = [node(1), node(2, { status: 'Leaving' })];
    const hint = 'Request a higher limit from the provider, or use smaller or fewer machines, then apply again.';
    const text = describeManifest(
      described({ status: 'Failed', clusters: [cluster({ nodes, failure: { ...failure, hint } })] }),
      { width: 76 },
    );
    expect(text.split('\n').filter((line) => stripVTControlCharacters(line).length > 76)).toEqual([]);
    expect(text).toMatch(/^ {4}Request a higher .*\n {6}\w/m);
  });

  it.each([
    ['Failed', {}, /`kubeloom retry web`.*`kubeloom rollback web --plan`/],
    ['Failed', { generation: 1 }, /`kubeloom retry web`; or apply a changed manifest$/m],
    ['Failed', { deleting: true }, /`kubeloom delete web` continues it, `--orphan NODE\|all`/],
    ['Pending', { paused: true }, /until `kubeloom resume web`/],
    ['Failed', { retryAt: '2020-01-01T00:00:00.000Z' }, /it is retried automatically now/],
    ['Failed', { namespace: 'team' }, /`kubeloom retry team\/web`/],
  ] as const)('a description says what to do when the manifest is %s %j', (status, change, expected) => {
    expect(describeManifest(described({ status, ...change }))).toMatch(expected);
  });

  it('a description sums up many nodes by pool and names those that are not Ready', () => {
    const nodes = Array.from({ length: 60 }, (_, at) => node(at, at < 5 ? { status: 'Joining' } : {}));
    const manifest = described({ status: 'Running', clusters: [cluster({ nodes })] });
    const short = describeManifest(manifest);
    expect(short).toContain('5 Joining (compute-1a2b3c4-0, compute-1a2b3c4-1, compute-1a2b3c4-2 and 2 more), 55 Ready');
    expect(short).toContain('60 nodes; --nodes lists each');
    expect(describeManifest(manifest, { everyNode: true })).toContain('compute-1a2b3c4-59');
  });

  it('a description says since when a node does not answer', () => {
    const unreachableSince = new Date(Date.now() - 300_000).toISOString();
    const nodes = [node(1, { status: 'Unreachable', unreachableSince })];
    const text = describeManifest(described({ clusters: [cluster({ nodes })] }), { width: 200 });
    expect(stripVTControlCharacters(text)).toContain('Unreachable (noticed 5 min ago)');
  });

  it('a description says once what is simulated, or by cluster where that differs', () => {
    const one = cluster({ simulated: ['machines'] });
    const same = describeManifest(described({ simulated: ['machines'], clusters: [one, one] }));
    expect(same.match(/simulated/g)).toHaveLength(1);
    const differs = describeManifest(described({ simulated: ['machines'], clusters: [one, cluster({})] }));
    expect(differs).toContain('· simulated machines');
  });

  it('a description shows the reason of a held pool once', () => {
    const held = { pool: 'big', role: 'compute', reason: `TerraformApplyFailed: ${failure.message}` };
    const text = describeManifest(
      described({ clusters: [cluster({ status: 'Degraded', failure, heldPools: [held] })] }),
    );
    expect(text.match(/limit of 5 servers/g)).toHaveLength(1);
    expect(text).toContain('left out: pool big (compute)');
  });
});

describe('an event', () => {
  const long = happened('grow: one thing that is made here; another thing that is made there; a third', {
    cluster: 'web',
    stage: 'infrastructure',
  });

  it('an event is one line without a width limit, and one line per sentence on a terminal', () => {
    const begin = Date.parse(moment(0));
    expect(eventLines(long, begin, Number.POSITIVE_INFINITY)).toHaveLength(1);
    expect(eventLines(long, begin, 70).map((line) => stripVTControlCharacters(line))).toEqual([
      '     0.0 s · web/infrastructure  grow: one thing that is made here;',
      '             another thing that is made there;',
      '             a third',
    ]);
  });
});

describe('the live view', () => {
  const screen = (columns: number, rows: number) => {
    const written: string[] = [];
    return { written, isTTY: true, columns, rows, write: (text: string) => written.push(text) };
  };
  const running = (name: string) =>
    cluster({
      name,
      status: 'Running',
      progress: {
        step: 1,
        steps: 4,
        percent: 25,
        direction: 'grow',
        waypoint: 1,
        waypoints: 1,
        stage: 'configuration',
        startedAt: moment(0),
        updatedAt: moment(0),
      },
    });

  it('the live view erases exactly the lines it drew, which fit the width of the screen', () => {
    const terminal = screen(50, 24);
    const view = openLiveView(terminal);
    view.show(['an event'], described({ clusters: [running('a'), running('a-long-name-of-a-cluster')] }));
    view.close();
    const lines = stripVTControlCharacters(terminal.written[0] ?? '')
      .trimEnd()
      .split('\n');
    expect(lines[0]).toBe('an event');
    expect(lines[1]).toMatch(/^ {2}a {25}█████░{15}…$/);
    expect(lines.every((line) => line.length < 50)).toBe(true);
    expect(terminal.written[1]).toBe('\u001b[2A\u001b[0J');
  });

  it('the live view is never higher than the screen', () => {
    const terminal = screen(80, 10);
    openLiveView(terminal).show([], described({ clusters: Array.from({ length: 50 }, (_, at) => running(`c${at}`)) }));
    expect(terminal.written[0]?.trimEnd().split('\n')).toHaveLength(7);
    expect(terminal.written[0]).toContain('and 44 more clusters');
  });

  it('the live view draws nothing without a terminal', () => {
    const terminal = { ...screen(80, 24), isTTY: false };
    openLiveView(terminal).show(['an event'], described({ clusters: [running('a')] }));
    expect(terminal.written).toEqual(['an event\n']);
  });
});
