/** What the command line makes of words: names, run ids, faults to inject, tables, times. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { orphansOf } from '#cli/commands/delete.ts';
import { parseFault } from '#cli/commands/simulate.ts';
import { compareRuns, manifestOfRun, parseManifestName } from '#cli/manifest-name.ts';
import { faultLines } from '#cli/print/faults.ts';
import { clip, harmless, shortList, table, wrap } from '#cli/print/layout.ts';
import { ago, duration, until } from '#cli/print/times.ts';

describe('names on the command line', () => {
  it('a name is NAME in a namespace, or NAMESPACE/NAME', () => {
    expect(parseManifestName('web')).toEqual({ namespace: 'default', name: 'web' });
    expect(parseManifestName('web', 'team')).toEqual({ namespace: 'team', name: 'web' });
    expect(parseManifestName('team/web', 'other')).toEqual({ namespace: 'team', name: 'web' });
  });

  it.each(['', 'a/b/c', '/a', 'a/'])('a malformed name %j is refused with the form to use', (text) => {
    expect(() => parseManifestName(text)).toThrow('write NAME or NAMESPACE/NAME');
  });

  it('a run id yields its manifest, even if the name of the manifest looks like a run id', () => {
    expect(manifestOfRun('web-x1y2z-g3-a1')).toEqual({ namespace: 'default', name: 'web' });
    expect(manifestOfRun('web-aaaaa-g1-a1-bbbbb-g12-a3').name).toBe('web-aaaaa-g1-a1');
    expect(manifestOfRun('web-x1y2z-g4-d1a').name).toBe('web');
    expect(() => manifestOfRun('web')).toThrow('kubeloom runs NAME');
  });
});

describe('runs of one name', () => {
  it.each([
    ['web-aaaaa-g3-a1', 'same'],
    ['web-aaaaa-g2-a9', 'earlier'],
    ['web-aaaaa-g3-a2', 'later'],
    ['web-aaaaa-g10-a1', 'later'],
    ['web-aaaaa-g3-d1', 'later'],
    ['web-aaaaa-g2-d9', 'earlier'],
    ['web-bbbbb-g1-a1', 'other'],
    ['else', 'other'],
  ])('the run %s, compared with g3-a1, is %s', (run, order) => {
    expect(compareRuns(run, 'web-aaaaa-g3-a1')).toBe(order);
  });
});

describe('text of tools and services', () => {
  it('text of tools keeps letters, lines and colours, but no control codes of the terminal', () => {
    expect(harmless('\u001b[31mrød\u001b[0m\n\tüñ')).toBe('\u001b[31mrød\u001b[0m\n\tüñ');
    // A title, the clipboard, the line above, a bell, the same in one byte.
    for (const order of [
      '\u001b]0;x\u0007',
      '\u001b]52;c;eA==\u001b\\',
      '\u001b[1A\u001b[2K',
      '\u0007',
      '\u009b2J',
      '\r',
    ])
      expect(harmless(order)).not.toMatch(/\p{Cc}/u);
  });
});

describe('checks for drift', () => {
  it.each([
    ['web-aaaaa-g3-a2', 'earlier'],
    ['web-aaaaa-g3-d9', 'earlier'],
    ['web-aaaaa-g3-d11', 'later'],
    ['web-aaaaa-g4-a1', 'later'],
  ])('a check for drift is ordered like a run: %s is %s than the tenth of generation 3', (run, order) => {
    expect(compareRuns(run, 'web-aaaaa-g3-da')).toBe(order);
  });
});

describe('--orphan', () => {
  it('--orphan takes names separated by commas or spaces, or all alone', () => {
    expect(orphansOf(['a-01,b-02', 'c-03'])).toEqual(['a-01', 'b-02', 'c-03']);
    expect(orphansOf(['all'])).toEqual(['all']);
    expect(orphansOf()).toEqual([]);
    expect(() => orphansOf(['all', 'a-01'])).toThrow('leave out the names of nodes');
  });
});

describe('--fail', () => {
  it('--fail has defaults for class and times', () => {
    expect(parseFault('kubernetes')).toEqual({ stage: 'kubernetes', class: 'user', times: 1 });
    expect(parseFault('nodes:transient:4')).toEqual({ stage: 'nodes', class: 'transient', times: 4 });
  });

  it.each(['network', 'nodes:sad', 'nodes:user:0', 'nodes:user:x'])(
    '--fail refuses %s and lists the possible values',
    (text) => {
      expect(() => parseFault(text)).toThrow(/infrastructure, configuration, kubernetes, nodes, traffic.*transient/);
    },
  );
});

describe('output', () => {
  it('a table aligns columns by visible width, not by escape codes', () => {
    const painted = '\u001b[32mDone\u001b[39m';
    const lines = table(
      ['NAME', 'STATUS', 'AGE'],
      [
        ['a', painted, '1'],
        ['longer', 'Failed', '2'],
      ],
    );
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      'NAME    STATUS  AGE',
      'a       Done    1',
      'longer  Failed  2',
    ]);
  });

  it('a table wraps the last column at the width of the terminal', () => {
    const rows = [['a', 'one two three four five six']];
    expect(table(['NAME', 'WORDS'], rows, { width: 30 })).toEqual([
      'NAME  WORDS',
      'a     one two three four five',
      '      six',
    ]);
  });

  it('a table drops columns in the given order until the rest fits', () => {
    const heading = ['NAME', 'AGE', 'NOTE', 'WORDS'];
    const rows = [['a-long-name', '1 d', '-', 'one two']];
    const drop = ['NOTE', 'AGE'];
    expect(table(heading, rows, { width: 31, drop })).toEqual([
      'NAME         AGE  NOTE  WORDS',
      'a-long-name  1 d  -     one two',
    ]);
    expect(table(heading, rows, { width: 30, drop })[1]).toBe('a-long-name  1 d  one two');
    expect(table(heading, rows, { width: 24, drop })[1]).toBe('a-long-name  one two');
  });

  it('a table prints a block per row when no column can be dropped, and keeps words whole', () => {
    const rows = [['a-very-long-name-of-a-run', 'Done', 'created by everyone']];
    expect(table(['RUN', 'STATUS', 'REASON'], rows, { width: 28 })).toEqual([
      'run',
      '  a-very-long-name-of-a-run',
      '  status  Done',
      '  reason  created by',
      '          everyone',
    ]);
  });

  it('text wraps at spaces with an indent, keeps words whole, and does not change if it fits', () => {
    expect(wrap('a sentence that is long', 4, 14)).toEqual(['a sentence', '    that is', '    long']);
    expect(wrap('short', 4, 14)).toEqual(['short']);
    expect(wrap('first line\nsecond', 2, 80)).toEqual(['first line', '  second']);
    expect(wrap(`${'x'.repeat(30)} y`, 2, 10)).toEqual(['x'.repeat(30), '  y']);
    expect(wrap('a '.repeat(500).trim(), 2, Number.POSITIVE_INFINITY)).toHaveLength(1);
  });

  it('a clipped text has the visible width asked for, and closes its colour', () => {
    expect(clip('\u001b[32mabcdef\u001b[39m', 4)).toBe('\u001b[32mabc\u001b[39m…');
    expect(clip('abc', 3)).toBe('abc');
  });

  it('a long list names a few and counts the rest', () => {
    expect(shortList(['a', 'b', 'c', 'd'])).toBe('a, b, c, d');
    expect(shortList(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  it.each([
    [0, 'just now'],
    [59, '59 s ago'],
    [61, '1 min ago'],
    [7_300, '2 h ago'],
    [200_000, '2 d ago'],
  ])('a time %i seconds ago is written as %s', (seconds, text) => {
    expect(ago(new Date(0).toISOString(), seconds * 1000)).toBe(text);
  });

  it.each([
    [-5, 'now'],
    [59, 'in 1 min'],
    [3000, 'in 50 min'],
    [3600 * 1.9, 'in 2 h'],
    [3600 * 24, 'in 24 h'],
    [3600 * 72, 'in 3 d'],
  ])('a time in %i seconds is written as %s', (seconds, text) => {
    expect(until(new Date(seconds * 1000).toISOString(), 0)).toBe(text);
  });

  it.each([
    [40, '0.0 s'],
    [1234, '1.2 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 00 s'],
    [187_000_000, '2 d 3 h'],
    [185_000, '3 min 05 s'],
    [7_800_000, '2 h 10 min'],
  ])('a duration of %i ms is written as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('a fault prints its place, its reason and its fix', () => {
    const lines = faultLines([{ path: 'spec.x', reason: 'is wrong', fix: 'make it right' }], 'fault');
    expect(lines.map((line) => stripVTControlCharacters(line).trim())).toEqual([
      'fault  spec.x',
      'is wrong',
      '→ make it right',
    ]);
  });
});
