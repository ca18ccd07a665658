/** Whatever is sent to any operation of docs/openapi.json: no fault of ours, and no answer that the document does not know. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from '#test/api/api-under-test.ts';
import { aManifest, aSecret, aStaticManifest, aTemplateReference } from '#test/api/documents.ts';
import { propertyRuns } from '#test/property-runs.ts';
import document from '../../docs/openapi.json' with { type: 'json' };

interface Parameter {
  readonly name: string;
  readonly in: string;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(
    methods as Record<string, { operationId?: string; parameters?: readonly Parameter[]; requestBody?: unknown }>,
  )
    .filter(([, operation]) => operation.operationId !== undefined)
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

const known: Readonly<Record<string, readonly string[]>> = {
  namespace: ['team', 'default'],
  name: ['shop', 'metal', 'hetzner', 'own-templates'],
  run: ['shop-a0001-g1-a1'],
  cluster: ['web'],
  waypoint: ['w00'],
  stage: ['infrastructure', 'nodes-undo'],
  attempt: ['1', '0', '1e3', '-1'],
  limit: ['1', '200', '0', '2.5', 'NaN'],
  next: ['bnVsbA', 'eyJwayI6MX0', 'e30'],
  orphan: ['all', 'web-compute-a000003-01', 'a,,b'],
  'If-Match': ['*', '"g1-a1"', '"'],
  'If-None-Match': ['*', '"g1-a1"'],
};
const tricky = [
  '',
  '.',
  '..',
  '../x',
  'a/b',
  '\u0000',
  'ｓhop',
  '__proto__',
  'constructor',
  '💥',
  ' ',
  '%00',
  '-',
  'a'.repeat(300),
];

const anyOf = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...(known[name] ?? ['x'])) },
    { weight: 1, arbitrary: fc.constantFrom(...tricky) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  );

const documents = [aManifest(), aStaticManifest('metal', '198.51.100.7'), aSecret(), aTemplateReference()];

/** A good document with one place in it replaced by anything. */
const mutated = fc
  .tuple(
    fc.constantFrom(...documents),
    fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  .map(([whole, way, value]) => JSON.stringify(replaced(whole, way, value)));

function replaced(value: unknown, [turn, ...rest]: readonly number[], by: unknown): unknown {
  if (turn === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[turn % Math.max(keys.length, 1)];
  if (key === undefined) return by;
  const changed = replaced((value as Record<string, unknown>)[key], rest, by);
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? changed : one));
  return { ...value, [key]: changed };
}

const body = fc.oneof(
  { weight: 5, arbitrary: mutated },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);

async function existing(): Promise<ApiUnderTest> {
  const api = apiUnderTest();
  await api.call('PUT', '/v1/secrets/team/hetzner', { body: aSecret() });
  await api.call('PUT', '/v1/templates/team/own-templates', { body: aTemplateReference() });
  await api.call('PUT', '/v1/manifests/team/shop', { body: aManifest() });
  return api;
}

describe('random requests', () => {
  for (const { path, method, operationId, parameters = [], requestBody } of operations) {
    const values = fc.record(Object.fromEntries(parameters.map(({ name }) => [name, anyOf(name)])));
    it(`${operationId} answers random requests as the OpenAPI document says`, async () => {
      const api = await existing();
      const sent = fc.record({
        values,
        body: requestBody ? fc.option(body, { nil: undefined }) : fc.constant(undefined),
      });
      const property = fc.asyncProperty(sent, async (request) => {
        const { target, headers } = requestOf(path, parameters, request.values);
        // `call` throws for an answer that is not in the document.
        const answer = await api.call(method, target, {
          headers,
          ...(request.body !== undefined && { body: request.body }),
        });
        expect(answer.status, answer.text).toBeLessThan(500);
      });
      await fc.assert(property, {
        numRuns: parameters.length === 0 && !requestBody ? 1 : propertyRuns(60),
        interruptAfterTimeLimit: 3_000,
      });
    });
  }
});

function requestOf(path: string, parameters: readonly Parameter[], values: Readonly<Record<string, string>>) {
  const of = (place: string) =>
    parameters.filter((one) => one.in === place).map(({ name }) => [name, values[name] ?? ''] as const);
  // No router matches an empty segment.
  const filled = of('path').reduce(
    (at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value || '-')),
    path,
  );
  const query = new URLSearchParams(of('query').map(([name, value]): [string, string] => [name, value])).toString();
  const headers = Object.fromEntries(of('header').map(([name, value]) => [name.toLowerCase(), value]));
  return { target: query ? `${filled}?${query}` : filled, headers };
}
