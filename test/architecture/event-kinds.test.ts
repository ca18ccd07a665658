/** The table of event kinds has what is emitted, and nothing else. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventKinds, type KindOf, type Reported } from '#domain/event-kinds.ts';

it('each kind of event in the table is emitted', () => {
  const files = globSync('{functions,runner-images}/**/*.ts', { cwd: join(import.meta.dirname, '../..') });
  const sources = files
    .filter((file) => !file.endsWith('event-kinds.ts') && !file.includes('node_modules'))
    .map((file) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8'))
    .join('\n');
  const kinds = Object.values(eventKinds).flatMap((rows) => Object.keys(rows));
  expect(kinds.filter((kind) => !sources.includes(`'${kind}'`))).toEqual([]);
});

it('an event of an unknown kind, without its node, or of a wrong level does not compile', () => {
  const events: Reported<KindOf<'tool'>>[] = [
    { kind: 'NodeJoined', message: 'it is ready', node: 'a' },
    // @ts-expect-error
    { kind: 'NodeMarried', message: 'nothing emits this' },
    // @ts-expect-error
    { kind: 'NodeJoined', message: 'which one?' },
    // @ts-expect-error
    { kind: 'NodeJoined', message: 'it is ready', node: 'a', level: 'error' },
  ];
  expect(events).toHaveLength(4);
});
