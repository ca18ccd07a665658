/** Plain schemas of zod are made once in a bundle, and work as those that are made for each caller. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as zod from 'zod';
import { sharedSchemas, withoutBallast } from '../../runner-images/bundle-ballast.ts';

type Zod = typeof zod;
let long: Zod;
let short: Zod;

async function zodWith(plugins: Plugin[]): Promise<Zod> {
  const resolveDir = dirname(createRequire(import.meta.url).resolve('zod'));
  const { outputFiles } = await build({
    stdin: { contents: "export * from './index.js';", resolveDir },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    plugins,
  });
  const text = `${outputFiles[0]?.text}\n// ${plugins.length}`;
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Zod;
}

beforeAll(async () => {
  [long, short] = await Promise.all([zodWith([]), zodWith([withoutBallast([sharedSchemas])])]);
});

const plain: Readonly<Record<string, (z: Zod) => zod.ZodType>> = {
  string: (z) => z.string(),
  number: (z) => z.number(),
  'whole number': (z) => z.number().int(),
  boolean: (z) => z.boolean(),
  unknown: (z) => z.unknown(),
  any: (z) => z.any(),
  'optional string': (z) => z.string().optional(),
  'nullable number': (z) => z.number().int().nullable(),
  'array of strings': (z) => z.array(z.string()),
  'optional array of strings': (z) => z.string().array().optional(),
};
const others: Readonly<Record<string, (z: Zod) => zod.ZodType>> = {
  'string with a message': (z) => z.string('a name'),
  'long string': (z) => z.string().min(3),
  'number with a message': (z) => z.number({ error: 'how many' }),
  'whole number with a message': (z) => z.number().int('no fractions'),
  'array with a message': (z) => z.array(z.string(), 'a list'),
  'short array': (z) => z.array(z.string()).max(1),
  'described string': (z) => z.string().describe('its name'),
  'optional object': (z) => z.strictObject({ a: z.string() }).optional(),
  'string with a default': (z) => z.string().default('a'),
};
const values = ['', 'abc', 0, 1.5, -7, true, null, undefined, [], ['a'], ['a', 'b'], [1], {}, { a: 'b' }, { c: 1 }];

describe('schemas in a bundle', () => {
  it.each(Object.entries(plain))('there is one %s for all', (_, make) => {
    expect(make(short)).toBe(make(short));
    expect(make(long)).not.toBe(make(long));
  });

  it.each(Object.entries(others))('a %s is created for each caller, and the original does not change', (_, make) => {
    const one = make(short);
    expect(make(short)).not.toBe(one);
    for (const same of Object.values(plain)) expect(same(short)).not.toBe(one);
    expect(one.description).toBe(make(long).description);
    expect(short.string().description).toBeUndefined();
  });

  it.each(Object.entries({ ...plain, ...others }))(
    'a shared %s takes, refuses and says what any other does',
    (_, make) => {
      for (const value of values) {
        const [one, other] = [make(short).safeParse(value), make(long).safeParse(value)];
        expect({ data: one.data, issues: one.error?.issues }).toEqual({
          data: other.data,
          issues: other.error?.issues,
        });
      }
      expect(short.toJSONSchema(make(short), { unrepresentable: 'any' })).toEqual(
        long.toJSONSchema(make(long), { unrepresentable: 'any' }),
      );
    },
  );

  it('an object of shared schemas knows which of its fields are optional', () => {
    const shape = (z: Zod) =>
      z.strictObject({ a: z.string(), b: z.string(), c: z.string().optional(), d: z.string().optional() });
    for (const value of [{}, { a: '1' }, { a: '1', b: '2' }, { a: '1', b: '2', d: '3' }, { a: 1, b: 2, c: 3, d: 4 }])
      expect(shape(short).safeParse(value).error?.issues).toEqual(shape(long).safeParse(value).error?.issues);
  });
});
