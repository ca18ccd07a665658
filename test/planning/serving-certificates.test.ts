/** Which serving certificates of kubelets are approved: a table of what hostile or broken clients may ask for. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCertificateRequest } from '#domain/certificates/certificate-request.ts';
import { type KnownNode, mayApprove, type SigningRequest } from '#domain/certificates/may-approve.ts';
import { propertyRuns } from '#test/property-runs.ts';

const nodes: readonly KnownNode[] = [
  { name: 'workers-bbbbbbb-01', addresses: ['192.168.2.3', '198.51.100.3'] },
  { name: 'workers-bbbbbbb-02', addresses: ['192.168.2.4'] },
];
const own = 'DNS:workers-bbbbbbb-01,IP:192.168.2.3';
const subject = '/O=system:nodes/CN=system:node:workers-bbbbbbb-01';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-csr-'));
  execFileSync('openssl', ['ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', join(directory, 'key')]);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** As openssl writes it. */
function requestFor(names: string, whom = subject, extensions = ''): string {
  const config = join(directory, 'config');
  const alternative = names === '' ? '' : `subjectAltName=${names}\n`;
  const section = alternative + extensions;
  writeFileSync(config, `[req]\ndistinguished_name=dn\nutf8=yes\n[dn]\n[ext]\n${section}`);
  const more = section === '' ? [] : ['-reqexts', 'ext'];
  const args = ['req', '-new', '-key', join(directory, 'key'), '-subj', whom, '-config', config, ...more];
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const csr = (change: Partial<SigningRequest> = {}): SigningRequest => ({
  name: 'csr-1',
  signer: 'kubernetes.io/kubelet-serving',
  username: 'system:node:workers-bbbbbbb-01',
  groups: ['system:nodes', 'system:authenticated'],
  usages: ['digital signature', 'server auth'],
  request: requestFor(own),
  conditions: [],
  ...change,
});

describe('a request that is approved', () => {
  test.each([
    ['its name and its private address', own],
    ['its name alone', 'DNS:workers-bbbbbbb-01'],
    ['all of its addresses', `${own},IP:198.51.100.3`],
  ])('the kubelet of a known node gets a certificate for %s', (_, names) => {
    expect(mayApprove(csr({ request: requestFor(names) }), nodes)).toEqual({ approve: true, node: nodes[0]?.name });
  });

  test('a key of RSA may also encipher keys', () => {
    const usages = ['key encipherment', 'digital signature', 'server auth'];
    expect(mayApprove(csr({ usages }), nodes)).toMatchObject({ approve: true });
  });
});

const asked = (names: string, whom = subject, extensions = '') => ({ request: requestFor(names, whom, extensions) });
const hostile: readonly (readonly [what: string, change: () => Partial<SigningRequest>, because: string])[] = [
  [
    'another signer, whose certificates are clients',
    () => ({ signer: 'kubernetes.io/kube-apiserver-client-kubelet' }),
    'signer',
  ],
  ['a person who asks for a node', () => ({ username: 'jane' }), 'jane is no node'],
  ['a service account', () => ({ username: 'system:serviceaccount:shop:web' }), 'is no node'],
  [
    'a user of that name who is not in the group of nodes',
    () => ({ groups: ['system:authenticated'] }),
    'not in the group',
  ],
  ['a node that Kubeloom did not make', () => ({ username: 'system:node:evil' }), 'not a node of this cluster'],
  [
    'a name with the name of a node in it',
    () => ({ username: 'system:node:workers-bbbbbbb-01.evil' }),
    'not a node of this',
  ],
  [
    'a node that asks for the name of another',
    () => asked('DNS:workers-bbbbbbb-02,IP:192.168.2.3'),
    'is not a known name',
  ],
  ['a node that asks for the address of another', () => asked('DNS:workers-bbbbbbb-01,IP:192.168.2.4'), '192.168.2.4'],
  [
    'the name of the API in addition to its own',
    () => asked(`${own},DNS:kubernetes.default`),
    'kubernetes.default is not',
  ],
  ['every name', () => asked('DNS:*'), '* is not a known name'],
  ['an IPv6 address that no one knows', () => asked(`${own},IP:fd00::1`), 'fd00:0:0:0:0:0:0:1'],
  ['a mail address', () => asked(`${own},email:a@example.com`), 'a name of kind 1'],
  ['a URI', () => asked(`${own},URI:spiffe://cluster/admin`), 'a name of kind 6'],
  ['no name at all', () => asked(''), 'neither a host nor an address'],
  ['the subject of another node', () => asked(own, '/O=system:nodes/CN=system:node:workers-bbbbbbb-02'), 'its subject'],
  [
    'the subject of an administrator',
    () => asked(own, '/O=system:masters/CN=system:node:workers-bbbbbbb-01'),
    'organization',
  ],
  [
    'two organizations',
    () => asked(own, `/O=system:masters${subject}`),
    'its organization is system:masters,system:nodes',
  ],
  ['two common names', () => asked(own, `${subject}/CN=admin`), 'a second common name'],
  ['another part of the subject', () => asked(own, `${subject}/OU=ops`), 'subject 2.5.4.11'],
  [
    'a certificate that may sign others',
    () => asked(own, subject, 'basicConstraints=CA:TRUE\n'),
    'extension 2.5.29.19',
  ],
  ['the usage of a client', () => ({ usages: ['digital signature', 'server auth', 'client auth'] }), 'client auth'],
  ['no usage of a server', () => ({ usages: ['digital signature'] }), 'not for a server'],
  ['a request that was denied', () => ({ conditions: ['Denied'] }), 'decided already'],
  ['a request that was approved', () => ({ conditions: ['Approved'] }), 'decided already'],
  ['text that is no request', () => ({ request: 'hello' }), 'cannot be read'],
  ['two requests in one text', () => ({ request: requestFor(own).repeat(2) }), 'cannot be read'],
  [
    'a request that is interrupted',
    () => ({ request: requestFor(own).replace(/\n[^\n]{10}/, '\n') }),
    'cannot be read',
  ],
];

test.each(hostile)('a request is not approved: %s', (_, change, because) => {
  const verdict = mayApprove(csr(change()), nodes);
  expect(verdict).toMatchObject({ approve: false, because: expect.stringContaining(because) });
});

const wrapped = (content: Uint8Array) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(content).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

test('whatever bytes a request has, it is read or not, and nothing else happens', () => {
  const bytes = Buffer.from(requestFor(own).split('\n').slice(1, -2).join(''), 'base64');
  expect(readCertificateRequest(wrapped(bytes))).toBeDefined();
  const changed = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([place, byte]) => {
    const copy = Buffer.from(bytes);
    copy[place] = byte;
    return copy;
  });
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 200 })), (content) => {
      expect(() => readCertificateRequest(wrapped(content))).not.toThrow();
    }),
    { numRuns: propertyRuns(2000) },
  );
});

test('a certificate request with ambiguous encoding is refused: lengths that are not the shortest, and names that are not UTF-8', () => {
  const [, base64 = ''] = /REQUEST-----\n([^-]+)-----END/.exec(requestFor(own)) ?? [];
  const bytes = [...Buffer.from(base64, 'base64')];
  expect(bytes[0]).toBe(0x30);
  const digits = (bytes[1] ?? 0) & 0x7f;
  const longer = [0x30, 0x81 + digits, 0, ...bytes.slice(2)];
  expect(readCertificateRequest(wrapped(Uint8Array.from(longer)))).toBeUndefined();
  const text = Buffer.from('system:node:');
  const at = Buffer.from(bytes).indexOf(text) - 2;
  const renamed = bytes.with(at, 0x1e);
  expect(readCertificateRequest(wrapped(Uint8Array.from(bytes)))).toBeDefined();
  expect(readCertificateRequest(wrapped(Uint8Array.from(renamed)))).toBeUndefined();
});
