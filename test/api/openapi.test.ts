/** The committed OpenAPI document is complete and up to date. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '#contracts/openapi.ts';
import { operationList } from '#contracts/operations/operations.ts';
import { routes } from '#functions/api/routes.ts';
import product from '../../package.json' with { type: 'json' };
import { apiUnderTest } from './api-under-test.ts';

const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(committed) as { paths: Record<string, Record<string, { operationId: string }>> };

describe('docs/openapi.json', () => {
  it('the document is what scripts/generate-openapi.ts makes', () => {
    expect(committed).toBe(`${JSON.stringify(openapiDocument(product.version), null, 2)}\n`);
  });

  it('the document has every route, and nothing else', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(operationList.map((row) => `${row.id}: ${row.method} ${row.path}`).sort());
  });

  it('patterns of the document are understood by regular expressions of other languages', () => {
    const patterns = [...committed.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) =>
      JSON.parse(text ?? ''),
    );
    expect(patterns.length).toBeGreaterThan(10);
    // Classes of Unicode (`\p{…}`) and names of groups are not.
    expect(patterns.filter((pattern) => /\\p\{|\(\?</i.test(pattern))).toEqual([]);
  });

  it('the document is served by the API itself', async () => {
    const answer = await apiUnderTest().call('GET', '/v1/openapi.json');
    expect(answer.json).toEqual(document);
  });
});

describe('every route', () => {
  it.each(operationList.map(({ method, path, params }) => [`${method} ${path}`, params] as const))(
    '%s names exactly the path parameters it parses',
    (route, params) => {
      const named = [...route.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(Object.keys(params?.shape ?? {}).sort()).toEqual(named.sort());
    },
  );

  it('only health, and what agents open with tokens of their own, pass the gateway without credentials', () => {
    const open = routes.filter(({ anonymous }) => anonymous).map(({ operation }) => operation);
    expect(open).toEqual(['getHealth', 'listAgentGroups', 'resizeAgentGroup', 'reportAgentHealth']);
  });

  it('the API answers health and version', async () => {
    const { call } = apiUnderTest();
    expect((await call('GET', '/v1/health')).json).toMatchObject({ status: 'ok' });
    expect((await call('GET', '/v1/version')).json).toMatchObject({
      version: product.version,
      installation: 'kubeloom',
    });
  });
});
