/** Where documents are read from: files, folders, URLs, and the error when that is not possible. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { documentsOfNamespace, readDocuments } from '#cli/submission/documents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-documents-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllGlobals();
});

const answering = (answer: () => Response) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => answer()),
  );

it('a folder yields its own YAML and JSON files in order, not those of folders in it', async () => {
  writeFileSync(join(folder, 'b.json'), '{"b": 1}');
  writeFileSync(join(folder, 'a.yaml'), 'a: 1');
  writeFileSync(join(folder, 'README.md'), '# no: document');
  mkdirSync(join(folder, 'more'));
  writeFileSync(join(folder, 'more', 'c.yaml'), 'c: 1');
  const { documents } = await readDocuments([folder]);
  expect(documents.map(({ file, document }) => [file, document])).toEqual([
    [join(folder, 'a.yaml'), { a: 1 }],
    [join(folder, 'b.json'), { b: 1 }],
  ]);
});

it('a folder without documents is refused', async () => {
  await expect(readDocuments([folder])).rejects.toThrow(`${folder} is a folder without .yaml, .yml or .json files`);
});

it('an https URL is fetched', async () => {
  answering(() => new Response('a: 1', { headers: { 'content-type': 'text/plain' } }));
  const url = 'https://example.com/a.yaml';
  expect((await readDocuments([url])).documents).toEqual([{ file: url, index: 0, document: { a: 1 } }]);
});

it.each([
  ['http://example.com/a.yaml', new Response('a: 1'), 'use https'],
  ['https://example.com/a.yaml', new Response('', { status: 404 }), 'it answers HTTP 404'],
  ['https://example.com/a', new Response('', { headers: { 'content-type': 'text/html' } }), 'is a web page'],
])('%s is refused with the reason', async (url, response, reason) => {
  answering(() => response);
  await expect(readDocuments([url])).rejects.toThrow(reason);
});

it('documents of a request about one namespace are of one, and without files the namespace is the one that is given', async () => {
  const given = { namespace: 'default', verb: 'plan' };
  const file = (name: string, namespace: string): string => {
    writeFileSync(join(folder, name), `kind: ValueLayer\nmetadata: { name: a, namespace: ${namespace} }\n`);
    return join(folder, name);
  };
  const [first, second] = [file('first.yaml', 'team'), file('second.yaml', 'shop')];
  expect(await documentsOfNamespace([first], given)).toMatchObject({ namespace: 'team', documents: [{}] });
  expect(await documentsOfNamespace(undefined, given)).toEqual({ namespace: 'default', documents: [] });
  await expect(documentsOfNamespace([first, second], given)).rejects.toThrow(
    'the documents are in namespaces team, shop: plan one at a time',
  );
});
