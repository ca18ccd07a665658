/** Every schema of `functions/domain/observed` is closed: a string without a pattern, a format, an enum or a bound of words fails here. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openTexts } from './open-texts.ts';

const folder = join(import.meta.dirname, '../../functions/domain/observed');
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const schemas = (
  await Promise.all(
    files.map(async (file) => {
      const exported: Record<string, unknown> = await import(join(folder, file));
      return Object.entries(exported).map(([name, value]) => ({ where: `${file} ${name}`, value }));
    }),
  )
)
  .flat()
  .flatMap(({ where, value }) => (value instanceof z.core.$ZodType ? [{ where, schema: value }] : []));

describe('schemas of what others report', () => {
  it('the walk finds the schemas of this folder', () => {
    expect(schemas.map(({ where }) => where)).toEqual(
      expect.arrayContaining(['machine-facts.ts MachineFacts', 'node-facts.ts NodeFacts', 'closed-texts.ts BootId']),
    );
  });

  it.each(schemas)('$where has no open text', ({ schema }) => {
    expect(openTexts(schema)).toEqual([]);
  });
});
