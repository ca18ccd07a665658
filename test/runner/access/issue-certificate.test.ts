/** A client certificate for a person, from a kubectl that plays a cluster which signs. */
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorIn, foundIn, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { adminAuthority, adminKey, kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';

const prefix = 'access/team/shop/web-1234567/0123456789abcdef/1';
const kubeconfigKey = 'kubeconfigs/team/shop/web-1234567';
/** Certificate of `kubeloom:ann`, until 2126-10-30T03:01:00.000Z. */
const certificate =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJ0VENDQVZ1Z0F3SUJBZ0lVWmdJWm5UMjhla1V2VjY1eUx6ekxtZEpJa2hvd0NnWUlLb1pJemowRUF3SXcKTHpFV01CUUdBMVVFQ2d3TmEzVmlaV3h2YjIwNmRtbGxkekVWTUJNR0ExVUVBd3dNYTNWaVpXeHZiMjA2WVc1dQpNQ0FYRFRJMk1URXlNekF6TURFd01Gb1lEekl4TWpZeE1ETXdNRE13TVRBd1dqQXZNUll3RkFZRFZRUUtEQTFyCmRXSmxiRzl2YlRwMmFXVjNNUlV3RXdZRFZRUUREQXhyZFdKbGJHOXZiVHBoYm00d1dUQVRCZ2NxaGtqT1BRSUIKQmdncWhrak9QUU1CQndOQ0FBUWd5Z2x4aFYraFFJS28vUVBoRGZZZTNXU2JKOWNUWHRJYU9sbmxDRHBEYWVVTwpwSytteWZCWXN2QTRPN2psZFZQd2FZNk9reTZiMG5BRHl2ZW1ES2h2bzFNd1VUQWRCZ05WSFE0RUZnUVU2TmlmCkM3aStMN2gvVjVGOWJBRnl3dmltdjNNd0h3WURWUjBqQkJnd0ZvQVU2TmlmQzdpK0w3aC9WNUY5YkFGeXd2aW0KdjNNd0R3WURWUjBUQVFIL0JBVXdBd0VCL3pBS0JnZ3Foa2pPUFFRREFnTklBREJGQWlFQS9rcEhUZ2d4RktiawpJdEpHcGFXcjRicFRNb0VOU0dWYzVxelNoL2d2b1BzQ0lCWFJYZy9BSlcvaTdVWExhT2Z1SHRiWkRHNUZpbjBnClFNSFZsTGhIRnoyYwotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==';
/** As far as it is read: the key. */
const spki = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey.export({ type: 'spki', format: 'der' });
const request = `-----BEGIN CERTIFICATE REQUEST-----\n${spki.toString('base64')}\n-----END CERTIFICATE REQUEST-----`;

let deps: FakeDeps;
let folder: string;
const ask = async () =>
  answerQuestion(prefix, await boundedForQuestion(deps, prefix), {
    signal: new AbortController().signal,
    templatesDirectory: '/nowhere',
    answers,
  });
const result = async () => readQuestionResult((await deps.artifacts.getText(questionKeys.result(prefix))) ?? '');
const eventsOf = async () => (await deps.events.list({ namespace: 'team', name: 'shop' }, 10)).items;

/** Notes its calls and what it is sent; `get` prints this. */
function cluster(status: object): void {
  writeFileSync(join(folder, 'csr.json'), JSON.stringify({ status }));
  const program = `#!/bin/bash
shift
echo "$*" >>${folder}/calls
case "$1" in apply) cat >${folder}/applied;; get) cat ${folder}/csr.json;; esac`;
  writeFileSync(join(folder, 'kubectl'), program);
  chmodSync(join(folder, 'kubectl'), 0o755);
}
const written = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-issue-'));
  vi.stubEnv('KUBELOOM_KUBECTL', join(folder, 'kubectl'));
  deps = fakeDeps();
  const place = { namespace: 'team', manifest: 'shop', cluster: 'web-1234567', clusterName: 'web', kubeconfigKey };
  const wanted = { role: 'edit', seconds: 7200, request, caller: 'ann from 203.0.113.7' };
  const known = { states: [twoProviderState()], facts: twoProviderFacts };
  await deps.artifacts.putText(
    questionKeys.request(prefix),
    JSON.stringify({ kind: 'certificate', ...place, ...known, ...wanted }),
  );
  await deps.artifacts.putText(kubeconfigKey, kubeconfigTo());
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('a client certificate for a person', () => {
  it('the cluster is asked to sign it for the role and time, and keeps no request', async () => {
    cluster({ certificate });
    expect(await ask()).toBe(true);
    expect(foundIn('certificate', await result())).toEqual({
      server: 'https://shop.example.com:6443',
      authority: adminAuthority,
      certificate,
      until: '2126-10-30T03:01:00.000Z',
    });
    expect(JSON.parse(written('applied')).items).toMatchObject([
      {
        kind: 'ClusterRoleBinding',
        metadata: { name: 'kubeloom:edit' },
        roleRef: { kind: 'ClusterRole', name: 'edit' },
        subjects: [{ kind: 'Group', name: 'kubeloom:edit' }],
      },
      {
        kind: 'CertificateSigningRequest',
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          expirationSeconds: 7200,
          usages: ['client auth'],
        },
      },
    ]);
    const calls = written('calls').trim().split('\n');
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['apply', 'certificate', 'get', 'delete']);
  });

  it('an issued certificate is an event with the caller, address, role and end time', async () => {
    cluster({ certificate });
    await ask();
    expect(await eventsOf()).toMatchObject([
      {
        kind: 'AccessGiven',
        level: 'info',
        cluster: 'web',
        message:
          'kubeconfig of web with the role edit, valid until 2126-10-30T03:01:00.000Z, issued for ann from 203.0.113.7',
      },
    ]);
  });

  it('a certificate whose event cannot be stored is not handed out', async () => {
    cluster({ certificate });
    deps.events.append = () => Promise.reject(new Error('the table is full'));
    expect(await ask()).toBe(false);
    expect(foundIn('certificate', await result())).toBeUndefined();
  });

  it('a cluster that refuses to sign is reported in its own words', async () => {
    cluster({ conditions: [{ type: 'Failed', message: 'no such signer' }] });
    expect(await ask()).toBe(false);
    expect(errorIn(await result())).toMatchObject({
      class: 'user',
      code: 'CertificateNotSigned',
      message: 'The cluster signed no client certificate: it was refused: no such signer.',
    });
    expect(written('calls')).toContain('delete certificatesigningrequest');
    expect(await eventsOf()).toEqual([]);
  });

  it('the key of the admin is in no log and no result', async () => {
    cluster({ conditions: [{ type: 'Failed', message: adminKey }] });
    await ask();
    const kept = [questionKeys.log(prefix), questionKeys.result(prefix)].map((key) => deps.artifacts.getText(key));
    for (const text of await Promise.all(kept)) expect(text).not.toContain(adminKey);
  });
});
