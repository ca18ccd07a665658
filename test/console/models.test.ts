/** What pages show, before it is drawn: the fleet, pools, plans, logs, rights. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { NodeRow, PlanReport } from '#contracts/api-bodies.ts';
import { fleetStates } from '#contracts/fleet.ts';
import { roles } from '#domain/access.ts';
import { fleetRow, rowsOf, type Summary, shownStates } from '../../console/model/fleet.ts';
import { keyed } from '../../console/model/keyed.ts';
import { allLines, nextMatch, noLines, shownLines, withText } from '../../console/model/log-lines.ts';
import { amountsText, totalsOf, wordToType } from '../../console/model/plan-totals.ts';
import { poolsOf } from '../../console/model/pools.ts';
import { may } from '../../console/model/rights.ts';
import { clock, lasted } from '../../console/model/times.ts';
import { pageOf, titleOf } from '../../console/model/titles.ts';
import { yamlText } from '../../console/model/yaml-text.ts';

const summary = (name: string, more: Partial<Summary> = {}): Summary => ({
  namespace: 'team',
  name,
  generation: 1,
  attempt: 1,
  status: 'Done',
  deleting: false,
  paused: false,
  runId: `${name}-abcde-g1-a1`,
  createdAt: '2026-11-23T08:00:00.000Z',
  updatedAt: '2026-11-23T08:00:00.000Z',
  progress: null,
  clusters: [],
  ...more,
});
const cluster = (more: Partial<Summary['clusters'][number]> = {}): Summary['clusters'][number] => ({
  cluster: 'web-1234567',
  name: 'web',
  status: 'Converged',
  nodes: 3,
  ...more,
});
const failure = {
  class: 'quota',
  code: 'QuotaExceeded',
  message: 'no more',
  hint: 'raise it',
  at: '2026-11-23T08:00:00.000Z',
} as const;

describe('the fleet', () => {
  it('a row of the fleet says in a sentence what happens and what to do', () => {
    const now = { direction: 'grow', stage: 'nodes', waypoint: 1, waypoints: 2, joins: 4, leaves: 1 } as const;
    const working = fleetRow(summary('a', { status: 'Running', clusters: [cluster({ status: 'Running', now })] }));
    expect(working).toMatchObject({ remark: 'grow 1 of 2 · nodes', joins: 4, leaves: 1, nodes: 3 });
    const failed = fleetRow(summary('b', { status: 'Failed', clusters: [cluster({ failure })] }));
    expect(failed).toMatchObject({ remark: 'QuotaExceeded (quota): no more', hint: 'raise it' });
  });

  it('a row says whether what exists is as desired, apart from how its run fares', () => {
    const agreement = (more: Partial<Summary>) => fleetRow(summary('a', more)).agreement;
    expect(agreement({ clusters: [cluster()] })).toBe('desired');
    expect(agreement({ status: 'Running', clusters: [cluster({ drift: 2 })] })).toBe('changing');
    expect(agreement({ clusters: [cluster({ status: 'RolledBack' })] })).toBe('unreached');
    expect(agreement({ status: 'Failed', clusters: [cluster({ failure })] })).toBe('unreached');
    const drifted = fleetRow(summary('a', { clusters: [cluster({ drift: 2 }), cluster({ drift: 1 })] }));
    expect(drifted).toMatchObject({ agreement: 'drifted', differences: 3, failed: false });
  });

  it('the fleet shows as many rows as its address says, in hundreds, and never more than the API gives at once', () => {
    expect([undefined, '', '0', '100', '101', '450', '5000', '-3', 'all', 'Infinity'].map(rowsOf)).toEqual([
      ...[100, 100, 100, 100, 200, 500, 1000, 100, 100, 100],
    ]);
  });

  it('every state has a title, in the order in which the API sorts by state', () => {
    expect(shownStates).toEqual(fleetStates);
  });
});

describe('pools', () => {
  const node = (name: string, more: Partial<NodeRow> = {}): NodeRow => ({
    name,
    pool: 'p',
    role: 'compute',
    provider: 'aws-1',
    privateAddress: '',
    status: 'Ready',
    ...more,
  });

  it('nodes are grouped by pool: control, compute, load balancers', () => {
    const nodes = [
      node('a'),
      node('lb', { pool: 'l', role: 'loadBalancer' }),
      node('b', { status: 'Joining' }),
      node('c', { pool: 'c', role: 'control' }),
    ];
    expect(poolsOf(nodes, '').map(({ pool, nodes: all, ready }) => [pool, all.length, ready])).toEqual([
      ['c', 1, 1],
      ['p', 2, 1],
      ['l', 1, 1],
    ]);
    expect(poolsOf(nodes, 'joining').flatMap(({ nodes: all }) => all.map(({ name }) => name))).toEqual(['b']);
  });
});

describe('a plan', () => {
  const none = { added: 0, changed: 0, removed: 0 };
  const path = (name: string, mark: '+' | '-'): PlanReport['paths'][number] => ({
    cluster: name,
    summary: '',
    waypoints: [{ direction: 'grow', title: '', lines: [{ mark, text: '' }], stages: [], forwardOnly: false }],
  });

  it('the name of the cluster is asked for when something is removed, and of the manifest when it is several', () => {
    const removing = { clusters: none, nodes: { ...none, removed: 1 }, loadBalancers: none };
    const question = { name: 'shop', totals: removing };
    expect(wordToType({ ...question, paths: [path('web', '-'), path('db', '+')] })).toBe('web');
    expect(wordToType({ ...question, paths: [path('web', '-'), path('db', '-')] })).toBe('shop');
    const adding = { clusters: none, nodes: { ...none, added: 1 }, loadBalancers: none };
    expect(wordToType({ name: 'shop', totals: adding, paths: [path('web', '+')] })).toBeUndefined();
    expect(totalsOf(adding)).toEqual([{ what: 'nodes', added: 1, changed: 0, removed: 0 }]);
  });
});

it('amounts of money are shown by currency, and an unknown amount as unknown', () => {
  expect(
    amountsText([
      { currency: 'EUR', amount: 12.4 },
      { currency: 'USD', amount: 3 },
    ]),
  ).toBe('12.40 EUR + 3.00 USD');
  expect(amountsText([{ currency: 'EUR', amount: -1 }], { signed: true })).toBe('−1.00 EUR');
  expect(amountsText([])).toBe('nothing known');
});

describe('a log', () => {
  it('pieces of a log become lines, without the colours of tools', () => {
    const log = ['one\ntw', 'o\r', '\n\u001b[32mthree', '\u001b[0', 'm'].reduce(withText, noLines);
    expect(allLines(log)).toEqual(['one', 'two', 'three']);
  });

  it('links, character sets and controls of terminals are not in the lines, wherever pieces are cut', () => {
    const text =
      'a\u001b]8;;https://example.org\u0007link\u001b]8;;\u001b\\ b\u001b(B\u001b[?25l\n' +
      'name \u202egpj.exe\u0000\u0007\n';
    const whole = allLines(withText(noLines, text));
    expect(whole).toEqual(['alink b', 'name gpj.exe']);
    for (let cut = 1; cut < text.length; cut += 1)
      expect(allLines([text.slice(0, cut), text.slice(cut)].reduce(withText, noLines))).toEqual(whole);
  });

  it('a line that is written over again and again shows what was written last, and stays short', () => {
    const steps = Array.from({ length: 1000 }, (_, percent) => `\rdone ${percent / 10} %`);
    const log = steps.reduce(withText, noLines);
    expect([allLines(log), log.rest.length < 40]).toEqual([['done 99.9 %'], true]);
    expect(allLines(withText(log, '\r\nnext'))).toEqual(['done 99.9 %', 'next']);
  });

  it('an empty piece changes nothing: the lines are the same object', () => {
    const log = withText(noLines, 'one\ntwo');
    expect(withText(log, '')).toBe(log);
  });

  it('log search steps through matches forwards, backwards and wraps', () => {
    const lines = ['An error', 'fine', 'error again', 'fine'];
    expect([nextMatch(lines, 'ERROR', undefined), nextMatch(lines, 'error', 0), nextMatch(lines, 'error', 2)]).toEqual([
      ...[0, 2, 0],
    ]);
    expect([nextMatch(lines, 'error', 0, -1), nextMatch(lines, 'error', undefined, -1)]).toEqual([2, 2]);
    expect([nextMatch(lines, 'nothing', 1), nextMatch(lines, '', 1), nextMatch([], 'a', undefined)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });

  it('only lines in view are drawn, however many there are', () => {
    expect(shownLines(100_000, 18, 900_000, 400)).toEqual({ from: 49_970, to: 50_053 });
    expect(shownLines(5, 18, 0, 400)).toEqual({ from: 0, to: 5 });
  });
});

it('a document becomes YAML that means the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parse(yamlText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  const text = yamlText({
    spec: { version: '1.36.0', pools: [{ name: 'a', count: 2 }], labels: { on: 'yes' }, none: [] },
  });
  expect(text).toBe(
    'spec:\n  version: "1.36.0"\n  pools:\n    - name: a\n      count: 2\n  labels:\n    "on": "yes"\n  none: []\n',
  );
});

it('durations are shown in the largest fitting units', () => {
  expect([9.97, 59.7, 119.6, 3599.8, 7261].map(lasted)).toEqual([
    ...['10 s', '1 min 0 s', '2 min 0 s', '1 h 0 min', '2 h 1 min'],
  ]);
});

it('a time of another day is shown with its date', () => {
  const now = new Date(2026, 10, 24, 1, 0, 0);
  const at = (day: number, hour: number): string => new Date(2026, 10, day, hour, 3, 21).toISOString();
  expect([clock(at(24, 0), now.getTime()), clock(at(23, 14), now.getTime()), clock('nothing', 0)]).toEqual([
    ...['00:03:21', '23 Nov 14:03:21', 'nothing'],
  ]);
});

it('each item of a list has a key of its own, also where texts repeat', () => {
  expect(keyed(['a', 'b', 'a', 'a'], (text) => text).map(([key]) => key)).toEqual(['a', 'b', 'a (2)', 'a (3)']);
});

it('a place is called by what is there, and views of one manifest are one page', () => {
  expect(
    [[], ['attention'], ['manifests', 'team', 'shop'], ['manifests', 'team', 'shop', 'nodes']].map(titleOf),
  ).toEqual([...['Fleet', 'Needs you', 'shop (team) · Run', 'shop (team) · Nodes']]);
  expect(titleOf(['access', 'roles'])).toBe('Access · Roles');
  expect(pageOf(['manifests', 'team', 'shop', 'nodes'])).toBe(pageOf(['manifests', 'team', 'shop']));
  expect(pageOf(['manifests', 'team', 'shop'])).not.toBe(pageOf(['manifests', 'team', 'blog']));
});

it('roles include the ones before them, as the API has them', () => {
  for (const [index, role] of roles.entries())
    for (const [other, asked] of roles.entries()) {
      const grants = [{ role, namespaces: ['team'] }];
      expect([may({ grants }, asked, 'team'), may({ grants }, asked, 'other')]).toEqual([index >= other, false]);
    }
  expect(may(undefined, 'viewer', 'team')).toBe(false);
});
