/** What happens to templates that moved, as a table, and how people read it. */
import { describe, expect, it } from 'vitest';
import { templateUserLines } from '#cli/print/template-lines.ts';
import type { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import { movedTemplateText, type TemplatesQuestion, takeTemplates } from '#domain/take-templates.ts';

const version = (letter: string, path = 'modules') => `git:github.com/team/templates@${letter.repeat(40)}#${path}`;
const policies: Readonly<Record<string, OnTemplates>> = { old: 'report', ask: 'propose', new: 'replace' };
const moved = (...keys: readonly string[]) => keys.map((key) => ({ key, from: version('a'), to: version('b') }));

function decide(keys: readonly string[], more: Partial<TemplatesQuestion> = {}) {
  const policyOf = (key: string) => policies[key] ?? 'report';
  const decided = takeTemplates({ moved: moved(...keys), policyOf, behind: {}, held: undefined, ...more });
  const keysOf = (some: readonly { readonly key: string; readonly because?: string | undefined }[]) =>
    some.map(({ key, because }) => (because === undefined ? key : `${key}: ${because}`));
  return [decided.taken, decided.proposed, decided.reported].map(keysOf);
}

describe('templates that moved', () => {
  it.each([
    ['each has what it says', ['old', 'new'], {}, [['new'], [], ['old']]],
    [
      'a proposal waits for what is replaced',
      ['ask', 'new'],
      {},
      [['new'], [], ['ask: a plan is proposed once the others are replaced']],
    ],
    ['a proposal alone', ['ask', 'old'], {}, [[], ['ask'], ['old']]],
    ['what is held', ['ask', 'new', 'old'], { held: 'paused' }, [[], [], ['old', 'new: paused', 'ask: paused']]],
    [
      'a version that failed',
      ['new', 'ask'],
      { behind: { new: { to: version('b'), because: 'failed', failed: true } } },
      [[], ['ask'], ['new: failed']],
    ],
    [
      'another version than the one that failed',
      ['new'],
      { behind: { new: { to: version('c'), failed: true } } },
      [['new'], [], []],
    ],
    [
      'one that was only held before',
      ['new'],
      { behind: { new: { to: version('b'), because: 'paused' } } },
      [['new'], [], []],
    ],
  ] as const)('the decision: %s', (_what, keys, more, expected) => {
    expect(decide(keys, more)).toEqual(expected);
  });

  it('a change is named by its short commits, and by the whole versions where more than the commit differs', () => {
    expect(movedTemplateText({ key: 'a', from: version('a'), to: version('b') })).toBe(
      'provider a at aaaaaaa, now bbbbbbb',
    );
    expect(movedTemplateText({ key: 'web/dns', from: version('a'), to: version('a', 'other') })).toBe(
      `documents dns of cluster web at ${version('a')}, now ${version('a', 'other')}`,
    );
  });

  it('a person reads what happens to each manifest, the command that uses it, and how many more there are', () => {
    const one = { namespace: 'team', name: 'shop', change: 'provider a at aaaaaaa, now bbbbbbb' };
    const users = [
      { ...one, next: 'report' as const },
      { ...one, next: 'propose' as const },
      { ...one, next: 'replace' as const },
      { ...one, next: 'replace' as const, paused: true as const },
    ];
    expect(templateUserLines(users, 2)).toEqual([
      expect.stringContaining('`kubeloom get shop -n team -o yaml | kubeloom apply -f -` uses it'),
      expect.stringContaining('a plan is proposed'),
      expect.stringContaining('replaced from the next tick'),
      expect.stringContaining('paused'),
      '2 more manifests that you may not see use it',
    ]);
    expect(templateUserLines()).toEqual([]);
  });
});
