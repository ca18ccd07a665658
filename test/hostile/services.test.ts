/** Services that lie to the runner: a Vault, a host of git, and a hook of a provider type. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GitReferences } from '#adapters/git-references.ts';
import { noProviderTemplate } from '#rendering/provider-template.ts';
import { runCommand } from '#runner/process.ts';
import { runHook } from '#runner/terraform/templates/provider-files.ts';
import { VaultSession } from '#runner/vault/vault-session.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { brokenJson, type Canary, hostileTexts, liesAbout, obeyedInJson, openCanary } from './lies.ts';
import { type LyingServer, lyingServer } from './lying-server.ts';
import { outcomeOf } from './outcome-of.ts';

let canary: Canary;
let directory: string;
beforeAll(() => {
  canary = openCanary();
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-services-'));
});
afterAll(() => {
  expect(canary.sings()).toBe(false);
  canary.remove();
  rmSync(directory, { recursive: true });
});

describe('a Vault', () => {
  let vault: LyingServer;
  beforeEach(async () => {
    vault = await lyingServer();
  });
  afterEach(() => vault.close());

  const honest = {
    'POST /v1/auth/approle/login': { auth: { client_token: 'hvs.planted', token_type: 'service' } },
    'GET /v1/sys/internal/ui/mounts/kv': { data: { options: { version: '2' } } },
    'GET /v1/kv/data/clouds/hz': { data: { data: { token: 'planted-secret' } } },
  };
  const masked: string[] = [];
  const read = () =>
    new VaultSession(
      {
        name: 'vault',
        address: vault.url,
        authMount: 'approle',
        login: { kind: 'approle', roleId: 'r', secretId: 's' },
      },
      (values) => masked.push(...values),
    ).read({ mount: 'kv', path: 'clouds/hz', keys: {} } as unknown as Parameters<VaultSession['read']>[0]);
  const spoken = (change: Readonly<Record<string, string | undefined>> = {}) =>
    Object.fromEntries(
      Object.entries(honest).map(([route, body]) => [
        route,
        { body: route in change ? change[route] : JSON.stringify(body) },
      ]),
    );

  it('an honest answer is read, and its values are masked', async () => {
    vault.answers = spoken();
    expect(await read()).toEqual({ token: 'planted-secret' });
    expect(masked).toContain('planted-secret');
  });

  it('every lying answer is fields of texts that are masked, or a failure that names the Vault', async () => {
    for (const [route, body] of Object.entries(honest)) {
      const lies = [
        ...liesAbout(body, canary.file).map(({ title, value }) => ({ title, text: JSON.stringify(value) ?? '' })),
        ...Object.entries(brokenJson).map(([title, text]) => ({ title, text })),
      ];
      for (const { title, text } of lies) {
        vault.answers = spoken({ [route]: text });
        masked.length = 0;
        const fields = await outcomeOf(read, `${route}: ${title}`);
        if (fields === undefined) continue;
        const values = Object.values(fields as Readonly<Record<string, unknown>>);
        expect(
          values.every((value) => typeof value === 'string' && masked.includes(value)),
          title,
        ).toBe(true);
        expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
      }
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('a body without an end and a redirect to an inside address fail, and the token goes nowhere else', async () => {
    const place = 'GET /v1/kv/data/clouds/hz';
    vault.answers = spoken({ [place]: undefined });
    expect(await outcomeOf(read, 'endless')).toBeUndefined();
    expect(vault.sent).toBeLessThan(60_000_000);
    vault.answers = { ...spoken(), [place]: { status: 307, body: '', headers: { location: `${vault.url}/stolen` } } };
    expect(await outcomeOf(read, 'redirect')).toBeUndefined();
    expect(vault.asked.some(({ line }) => line.includes('stolen'))).toBe(false);
  });
});

describe('a host of git', () => {
  const commit = 'a'.repeat(40);
  const line = (text: string) => `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
  async function resolve(answer: string, revision = 'v1.0.0') {
    const files = selfSigned(directory, 'git');
    const [key, cert] = [readFileSync(files.key), readFileSync(files.certificate)];
    const server = createServer({ key, cert }, (_, response) => response.end(answer));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { globalAgent } = await import('node:https');
    const before = globalAgent.options.ca;
    globalAgent.options.ca = cert;
    try {
      return await new GitReferences({ privateHosts: [host] }).resolve(`${host}/a/b`, revision);
    } finally {
      if (before === undefined) delete globalAgent.options.ca;
      else globalAgent.options.ca = before;
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }

  it('the commit of a tag is forty digits, whatever the host says that it was peeled to', async () => {
    expect(await resolve(`${line(`${'b'.repeat(40)} refs/tags/v1.0.0 peeled:${commit}\n`)}0000`)).toEqual({ commit });
    for (const [title, text] of Object.entries(hostileTexts(canary.file))) {
      if (text.length > 60_000) continue;
      for (const answer of [
        `${text} refs/tags/v1.0.0`,
        `${commit} ${text}`,
        `${commit} refs/tags/v1.0.0 peeled:${text}`,
        `${commit} refs/tags/v1.0.0 ${text}`,
      ]) {
        const found = await resolve(`${line(`${answer}\n`)}0000`);
        if ('commit' in found) expect(found.commit, title).toMatch(/^[0-9a-f]{40}$/);
        expect(JSON.stringify(found), title).not.toMatch(obeyedInJson);
      }
    }
  });

  it('a tag with a name that is not printed is refused with all others', async () => {
    const refs = ['refs/tags/v9.9.9\u202e', 'refs/tags/v1.0.0', 'refs/heads/../../x'].map((name) =>
      line(`${commit} ${name}\n`),
    );
    const found = await resolve(`${refs.join('')}0000`, 'latest');
    expect(found).toEqual({ reason: expect.stringContaining('not in the protocol of git'), fix: expect.any(String) });
  });
});

describe('a hook of a provider type', () => {
  const answered = async (program: string, hook: 'list' | 'inspect' = 'list') => {
    mkdirSync(join(directory, 'hooks'), { recursive: true });
    writeFileSync(join(directory, 'hooks', `${hook}.ts`), program);
    const input = {
      installation: 'i',
      cluster: 'c',
      provider: 'hz',
      kind: 'machines',
      destroy: false,
      resources: [],
    } as const;
    const around = {
      signal: new AbortController().signal,
      log: { write: () => undefined, lastLines: () => '' } as never,
      stopwatch: { start: () => () => undefined } as never,
      graceMs: 100,
    };
    const files = { directory: join(directory, 'hooks'), template: noProviderTemplate };
    return runHook({ run: (command) => runCommand(command, around) }, files, hook, input);
  };
  const printing = (text: string) => `process.stdout.write(${JSON.stringify(text)})`;

  it('an honest answer is read', async () => {
    const items = [{ id: '1', name: 'web-01', kind: 'machine', stopped: false }];
    expect(await answered(printing(JSON.stringify({ items })))).toEqual({ replace: [], removed: [], items });
  });

  it('garbage, nothing, ids that are flags and addresses that are commands are failures of the hook, in words', async () => {
    const texts = hostileTexts(canary.file);
    const lies = [
      ...['', 'garbage \u001b[2J', '[]', '{"items":1e999}'],
      ...['long flag', 'escapes', 'newline', 'bidi'].flatMap((name) => [
        JSON.stringify({ items: [{ id: texts[name], name: 'x' }] }),
        JSON.stringify({ replace: [texts[name]] }),
      ]),
    ];
    for (const lie of lies) expect(await outcomeOf(() => answered(printing(lie)), lie), lie).toBeUndefined();
    const named = await answered(printing(JSON.stringify({ items: [{ id: '1', name: texts.bidi }] })));
    expect(JSON.stringify(named)).not.toMatch(obeyedInJson);
  });
});
