/** CHANGELOG.md is read by people who decide whether to upgrade: one sentence an entry, and a link to what says more. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import product from '../../package.json' with { type: 'json' };

const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
const lines = text.split('\n');
const most = 240;
const kinds = ['Security', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed'];
/** As a page shows it: without the addresses of links. */
const shown = (entry: string): string => entry.replace(/\]\([^)]*\)/g, ']');

describe('CHANGELOG.md', () => {
  it(`an entry is one line of at most ${most} characters, that of a link not counted`, () => {
    const entries = lines.filter((line) => line.startsWith('- '));
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.filter((entry) => shown(entry).length > most + 2)).toEqual([]);
  });

  it('an entry is one sentence', () => {
    const several = lines.filter((line) => line.startsWith('- ') && /[a-z`)]\. [A-Z]/.test(shown(line)));
    expect(several).toEqual([]);
  });

  it('everything else is a heading: a version with its day, and the kinds of its changes', () => {
    const others = lines.slice(1).filter((line) => line !== '' && !line.startsWith('- '));
    const heading = new RegExp(
      `^(?:## Unreleased|## \\d+\\.\\d+\\.\\d+ \\(\\d{4}-\\d\\d-\\d\\d\\)|### (?:${kinds.join('|')}))$`,
    );
    expect(others.filter((line) => !heading.test(line))).toEqual([]);
  });

  it('the version of package.json has a section', () => {
    expect(text).toContain(`\n## ${product.version} (`);
  });
});
