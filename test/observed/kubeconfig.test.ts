/** Kubeconfigs of others: the four values are taken, and nothing else passes. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { kubeconfigText, readKubeconfig } from '#documents/kubeconfig.ts';
import { ForeignKubeconfig, KubeconfigParts } from '#domain/observed/kubeconfig.ts';
import { simulatedKubeconfig } from '#runner/sim/simulated-facts.ts';
import { adminAuthority, adminCertificate, adminKey, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { openTexts } from './open-texts.ts';

const good = kubeconfigTo();
const server = 'https://shop.example.com:6443';
const refusalOf = (text: string): string => {
  const read = readKubeconfig(text);
  return 'refusal' in read ? read.refusal : `accepted: ${JSON.stringify(read.parts).slice(0, 100)}`;
};
const partsOf = (text: string): KubeconfigParts => {
  const read = readKubeconfig(text);
  if ('refusal' in read) throw new Error(read.refusal);
  return read.parts;
};
const canonical = kubeconfigText('shop', partsOf(good));

describe('the kubeconfig of an administrator', () => {
  it('the types of kubeconfigs have no open text', () => {
    expect([...openTexts(ForeignKubeconfig), ...openTexts(KubeconfigParts)]).toEqual([]);
  });

  it('a file of kubeadm gives its server, authority, certificate and key', () => {
    expect(partsOf(good)).toEqual({ server, authority: adminAuthority, certificate: adminCertificate, key: adminKey });
    // Releases of Kubernetes from 1.34 on leave out the preferences.
    expect(partsOf(good.replace('preferences: {}\n', ''))).toEqual(partsOf(good));
  });

  it('our file has one cluster, one user and one context under one name', () => {
    expect(parse(canonical)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'shop', cluster: { server, 'certificate-authority-data': adminAuthority } }],
      users: [{ name: 'shop', user: { 'client-certificate-data': adminCertificate, 'client-key-data': adminKey } }],
      contexts: [{ name: 'shop', context: { cluster: 'shop', user: 'shop' } }],
      'current-context': 'shop',
    });
    expect(kubeconfigText('shop', partsOf(canonical))).toBe(canonical);
  });

  it('a simulated cluster has one, too', () => {
    expect(partsOf(simulatedKubeconfig('shop', '198.18.3.4')).server).toBe('https://198.18.3.4:6443');
  });
});

describe('certificates and keys of other makers', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-pem-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  const base64Of = (name: string) => readFileSync(join(directory, name)).toString('base64');
  const withUser = (certificate: string, key: string) =>
    good
      .replace(`client-certificate-data: ${adminCertificate}`, `client-certificate-data: ${certificate}`)
      .replace(adminKey, key);

  it.each([
    ['RSA', 'rsa -traditional'],
    ['EC', 'ec'],
  ])('a key in the form of %s is accepted as it is', (_, form) => {
    const kind = form.startsWith('rsa') ? ['rsa:2048'] : ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    openssl('req', '-x509', '-newkey', ...kind, '-nodes', '-subj', '/CN=a', '-keyout', 'new', '-out', 'pem');
    openssl(...form.split(' '), '-in', 'new', '-out', 'key');
    expect(partsOf(withUser(base64Of('pem'), base64Of('key')))).toMatchObject({
      certificate: base64Of('pem'),
      key: base64Of('key'),
    });
  });

  it('a key of another certificate, an encrypted one, and parts that are not PEM are refused', () => {
    openssl('genpkey', '-algorithm', 'ed25519', '-out', 'other');
    expect(refusalOf(withUser(adminCertificate, base64Of('other')))).toContain(
      'client-key-data that is not the key of',
    );
    openssl('ec', '-in', 'key', '-aes128', '-passout', 'pass:secret', '-out', 'locked');
    expect(refusalOf(withUser(base64Of('pem'), base64Of('locked')))).toContain('client-key-data');
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    const pem = Buffer.from(adminAuthority, 'base64').toString();
    for (const wrong of [
      encoded('x'),
      encoded(`# note\n${pem}`),
      encoded(pem.slice(0, -30)),
      encoded(`${pem}${pem.replace('MII', 'MIJ')}`),
    ])
      expect(refusalOf(good.replace(`authority-data: ${adminAuthority}`, `authority-data: ${wrong}`))).toBe(
        'has a certificate-authority-data that holds no certificates',
      );
  });

  it('an authority of two certificates is accepted, and one of a hundred is refused', () => {
    const pem = Buffer.from(adminAuthority, 'base64').toString();
    const bundle = (times: number) => Buffer.from(pem.repeat(times)).toString('base64');
    const withAuthority = (times: number) =>
      good.replace(`authority-data: ${adminAuthority}`, `authority-data: ${bundle(times)}`);
    expect(partsOf(withAuthority(2)).authority).toBe(bundle(2));
    expect(refusalOf(withAuthority(100))).toContain('certificate-authority-data');
  });
});

describe('a kubeconfig that does more is refused, and the key is named', () => {
  const user = '  user:\n';
  const rows: readonly (readonly [string, string, string])[] = [
    ['users[0].user.exec', user, `${user}    exec: { apiVersion: client.authentication.k8s.io/v1, command: sh }\n`],
    ['users[0].user.auth-provider', user, `${user}    auth-provider: { name: gcp, config: { cmd-path: sh } }\n`],
    ['users[0].user.tokenFile', user, `${user}    tokenFile: /etc/shadow\n`],
    ['users[0].user.token', user, `${user}    token: abc\n`],
    ['users[0].user.username', user, `${user}    username: admin\n    password: admin\n`],
    ['users[0].user.client-key', user, `${user}    client-key: /etc/ssl/key\n`],
    ['users[0].user.client-certificate', user, `${user}    client-certificate: /etc/ssl/pem\n`],
    ['users[0].user.as', user, `${user}    as: someone\n`],
    ['users[0].user.as-groups', user, `${user}    as-groups: [a]\n`],
    ['users[0].user.extensions', user, `${user}    extensions: []\n`],
    ['clusters[0].cluster.proxy-url', '    server:', '    proxy-url: http://192.0.2.1\n    server:'],
    ['clusters[0].cluster.certificate-authority', '    server:', '    certificate-authority: /ca\n    server:'],
    ['clusters[0].cluster.insecure-skip-tls-verify', '    server:', '    insecure-skip-tls-verify: true\n    server:'],
    ['clusters[0].cluster.tls-server-name', '    server:', '    tls-server-name: other\n    server:'],
    ['contexts[0].context.extensions', '    user: k', '    extensions: []\n    user: k'],
    ['extensions', 'kind: Config', 'extensions: []\nkind: Config'],
    ['preferences.colors', 'preferences: {}', 'preferences: { colors: true }'],
    ['<<', 'kind: Config', '<<: { users: [] }\nkind: Config'],
    ['__proto__', 'kind: Config', '__proto__: { users: [] }\nkind: Config'],
    ['a\\u001b[31m', 'kind: Config', '"a\\e[31m": 1\nkind: Config'],
  ];
  it.each(rows)('%s', (key, before, after) => {
    expect(refusalOf(good.replace(before, after))).toBe(`has ${key}, which is not accepted`);
  });

  it.each([
    ['a second user', 'users:\n', 'users:\n- name: x\n  user: {}\n', 'has more than one entry in users'],
    ['a second cluster', 'clusters:\n', 'clusters:\n- name: x\n  cluster: {}\n', 'has more than one entry in clusters'],
    ['a second context', 'contexts:\n', 'contexts:\n- name: x\n  context: {}\n', 'has more than one entry in contexts'],
    ['a key twice', 'kind: Config', 'kind: Config\nkind: Config', 'has a key twice'],
    ['two documents', 'apiVersion: v1', 'a: b\n---\napiVersion: v1', 'has more than one document'],
    ['an alias', 'kind: Config', 'kind: &a Config\nx: *a', 'is not plain YAML'],
    ['a tag', 'kind: Config', 'kind: !!js/function Config', 'is not plain YAML'],
    ['brackets without an end', 'kind: Config', `kind: ${'['.repeat(50_000)}`, 'is not plain YAML'],
    ['a million keys', 'kind: Config', `kind: Config\n${'a: b\n'.repeat(10_000)}`, 'is not plain YAML'],
    ['two megabytes', 'kind: Config', `kind: Config # ${'x'.repeat(2e6)}`, 'characters, at most 100000 are accepted'],
    ['another current context', 'current-context: k', 'current-context: x', 'current-context that is not its context'],
    ['a context of another user', '    user: k', '    user: x', 'has a context of another user'],
    ['a context of another cluster', '    cluster: k', '    cluster: x', 'has a context of another cluster'],
    ['no user', good.slice(good.indexOf('users:')), 'users: []\n', 'has no entry in users'],
    ['no key', `    client-key-data: ${adminKey}\n`, '', 'has no users[0].user.client-key-data that is accepted'],
    ['another kind', 'kind: Config', 'kind: List', 'has no kind that is accepted'],
    ['a server without TLS', 'https:', 'http:', 'has no clusters[0].cluster.server that is accepted'],
    ['a server with a user', '//shop', '//a:b@shop', 'has no clusters[0].cluster.server that is accepted'],
    ['a server with a path', ':6443', ':6443/api', 'has no clusters[0].cluster.server that is accepted'],
    ['a server with a query', ':6443', ':6443?a', 'has no clusters[0].cluster.server that is accepted'],
    ['a server with a bad port', ':6443', ':99999', 'has a server that is not a host and a port'],
    ['a list', good, '[]', 'is not a kubeconfig'],
    ['nothing', good, '', 'is empty'],
    ['a binary file', good, '\u0000\u0001\ufffd', 'is not'],
  ])('%s', (_, before, after, words) => {
    expect(good).toContain(before);
    expect(refusalOf(good.replace(before, after))).toContain(words);
  });

  it('no refusal quotes a value of the file', () => {
    const secret = 'do-not-print-me';
    for (const wrong of [
      `token: ${secret}`,
      `client-key-data: ${secret}`,
      `exec: *${secret}`,
      `exec: !${secret} x`,
      `"${secret}`,
    ])
      expect(refusalOf(good.replace('  user:\n', `  user:\n    ${wrong}\n`))).not.toContain(secret);
  });
});

describe('any change of a good file', () => {
  const four = JSON.stringify(partsOf(good));
  const held = (text: string): void => {
    const read = readKubeconfig(text);
    if ('refusal' in read) return;
    // A host of other letters is a different server, which is judged against the cluster; the rest is the same, or refused.
    expect(JSON.stringify({ ...read.parts, server })).toBe(four);
    expect(KubeconfigParts.parse(read.parts)).toEqual(read.parts);
    const file = kubeconfigText('shop', read.parts);
    expect(file.replace(read.parts.server, server)).toBe(canonical);
  };
  const path = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('exec', { exec: { command: 'sh' } }, [{ name: 'x', user: { token: 'x' } }], {
      server: 'https://x',
    }),
  );
  const key = fc.oneof(
    fc.constantFrom('exec', 'token', 'proxy-url', 'as', '<<', '__proto__', 'constructor', 'server', 'users', 'name'),
    fc.string({ maxLength: 8 }),
  );

  it('a change of the text gives the same four values, or a refusal', () => {
    const edits = fc.array(fc.tuple(fc.nat(good.length), fc.nat(3), fc.string({ unit: 'binary', maxLength: 12 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(edits, (list) =>
        held(list.reduce((text, [at, cut, added]) => text.slice(0, at) + added + text.slice(at + cut), good)),
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it('a change of lines gives the same four values, or a refusal', () => {
    const lines = good.trimEnd().split('\n');
    const line = fc.oneof(
      fc.constantFrom(...lines),
      fc
        .tuple(
          fc.constantFrom('', '  ', '    ', '- ', '  - '),
          key,
          fc.constantFrom('x', '{}', '[]', '|', '>', '&a x', '*a', '!!str x'),
        )
        .map(([indent, name, text]) => `${indent}${name}: ${text}`),
    );
    fc.assert(
      fc.property(fc.nat(lines.length), fc.nat(2), fc.array(line, { maxLength: 3 }), (at, cut, added) =>
        held(lines.toSpliced(at, cut, ...added).join('\n')),
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  it('a change of values gives the same four values, or a refusal', () => {
    fc.assert(
      fc.property(path, key, value, fc.boolean(), (steps, name, added, replaces) =>
        held(stringify(changed(parse(good), steps, { name, added, replaces }))),
      ),
      { numRuns: propertyRuns(500) },
    );
  });
});

/** Walks down, and adds or replaces what is there. */
function changed(
  root: unknown,
  [step = 0, ...rest]: readonly number[],
  change: { readonly name: string; readonly added: unknown; readonly replaces: boolean },
): unknown {
  if (typeof root !== 'object' || root === null) return change.replaces ? change.added : root;
  const keys = Object.keys(root);
  const key = keys[step % Math.max(1, keys.length)];
  if (rest.length === 0 || key === undefined) {
    if (Array.isArray(root)) return [...root, change.added];
    const name = change.replaces && key !== undefined ? key : change.name;
    return Object.fromEntries([...Object.entries(root), [name, change.added]]);
  }
  const inner = changed((root as Record<string, unknown>)[key], rest, change);
  if (Array.isArray(root)) return root.with(Number(key), inner);
  return Object.fromEntries(Object.entries(root).map(([name, old]) => [name, name === key ? inner : old]));
}
