/** What the command line makes of words: names, run ids, faults to inject, tables, times. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseFault } from '#cli/commands/simulate.ts';
import { manifestOfRun, parseManifestName } from '#cli/manifest-name.ts';
import { duration, faultLines, table } from '#cli/output.ts';

describe('names on the command line', () => {
  it('takes NAME in a namespace, and NAMESPACE/NAME', () => {
    expect(parseManifestName('web')).toEqual({ namespace: 'default', name: 'web' });
    expect(parseManifestName('web', 'team')).toEqual({ namespace: 'team', name: 'web' });
    expect(parseManifestName('team/web', 'other')).toEqual({ namespace: 'team', name: 'web' });
  });

  it.each(['', 'a/b/c', '/a', 'a/'])('refuses %j with the form to use', (text) => {
    expect(() => parseManifestName(text)).toThrow('write NAME or NAMESPACE/NAME');
  });

  it('finds the manifest in a run id, also when its name looks like one', () => {
    expect(manifestOfRun('web-x1y2z-g3-a1')).toEqual({ namespace: 'default', name: 'web' });
    expect(manifestOfRun('web-aaaaa-g1-a1-bbbbb-g12-a3').name).toBe('web-aaaaa-g1-a1');
    expect(() => manifestOfRun('web')).toThrow('kubeloom runs NAME');
  });
});

describe('--fail', () => {
  it('fills in class and times', () => {
    expect(parseFault('kubernetes')).toEqual({ stage: 'kubernetes', class: 'user', times: 1 });
    expect(parseFault('nodes:transient:4')).toEqual({ stage: 'nodes', class: 'transient', times: 4 });
  });

  it.each(['network', 'nodes:sad', 'nodes:user:0', 'nodes:user:x'])('refuses %s and lists what there is', (text) => {
    expect(() => parseFault(text)).toThrow(/infrastructure, configuration, kubernetes, nodes, traffic.*transient/);
  });
});

describe('output', () => {
  it('aligns columns by what is seen, not by escape codes', () => {
    const painted = '\u001b[32mDone\u001b[39m';
    const lines = table(
      ['NAME', 'STATUS', 'AGE'],
      [
        ['a', painted, '1'],
        ['longer', 'Failed', '2'],
      ],
    ).split('\n');
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      'NAME    STATUS  AGE',
      'a       Done    1',
      'longer  Failed  2',
    ]);
  });

  it.each([
    [40, '0.0 s'],
    [1234, '1.2 s'],
    [59_960, '60.0 s'],
    [185_000, '3 min 05 s'],
    [7_800_000, '2 h 10 min'],
  ])('says %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('prints where, what and the way out of a fault', () => {
    const lines = faultLines([{ path: 'spec.x', reason: 'is wrong', fix: 'make it right' }], 'fault');
    expect(lines.map((line) => stripVTControlCharacters(line).trim())).toEqual([
      'fault  spec.x',
      'is wrong',
      '→ make it right',
    ]);
  });
});
