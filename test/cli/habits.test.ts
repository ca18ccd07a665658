/** What people type who know other tools is answered with what it is called here. */
import { expect, it } from 'vitest';
import { habitHint } from '#cli/habits.ts';

it.each([
  [['apply', 'x.yaml'], 'did you mean `kubeloom apply -f x.yaml`?'],
  [['validate', '--json', 'manifests/'], 'did you mean `kubeloom validate -f manifests/`?'],
  [['status'], 'kubeloom get'],
  [['list', 'web'], 'kubeloom get'],
  [['edit', 'web'], 'kubeloom get NAME -o yaml'],
] as const)('%j is answered with the command that does it', (words, hint) => {
  expect(habitHint(words)).toContain(hint);
});

it.each([[['apply', '-f', 'x.yaml', 'y']], [['constructor']], [['delete', 'x.yaml']], [[]]] as const)(
  'no hint is guessed for %j',
  (words) => {
    expect(habitHint(words)).toBeUndefined();
  },
);
