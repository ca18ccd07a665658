/** A cluster that lies to questions that are asked once: a certificate for a person, what was applied, what is in use, its version. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueCertificate } from '#runner/access/issue-certificate.ts';
import { applyDocuments } from '#runner/documents/apply-documents.ts';
import { ObjectRow } from '#runner/documents/components-in-use.ts';
import { continueUpgrade } from '#runner/kubeone/interrupted-upgrade.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import type { Command, CommandResult } from '#runner/process.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { type Canary, hostileTexts, obeyedInJson, openCanary } from './lies.ts';
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

describe('questions that are asked once', () => {
  const certificate = () => {
    const { certificate: file } = selfSigned(directory, 'person');
    return readFileSync(file, 'utf8');
  };
  const requestFor = (pem: string) =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}\n-----END CERTIFICATE REQUEST-----`;

  async function issued(status: unknown, request: string) {
    const events: unknown[] = [];
    const context = {
      mask: { add: () => undefined },
      runner: runnerConfig(process.env),
      workDirectory: directory,
      ports: {
        artifacts: { getText: async () => kubeconfigTo() },
        events: { append: async (_: unknown, more: readonly unknown[]) => void events.push(...more) },
        clock: { now: () => new Date(0) },
      },
      run: async () => ({ code: 0, stdout: JSON.stringify({ status }), stderr: '' }),
    };
    const question = {
      role: 'edit',
      request,
      seconds: 60,
      caller: 'ann',
      kubeconfigKey: 'k',
      namespace: 't',
      manifest: 'm',
      cluster: 'web-1234567',
      clusterName: 'web',
      states: [twoProviderState()],
      facts: twoProviderFacts,
    };
    const found = await outcomeOf(() => issueCertificate(question as never, context as never), 'certificate');
    return { found, events };
  }

  it('a cluster that signs another key, or answers no certificate, gives no access', async () => {
    const pem = certificate();
    const base64 = Buffer.from(pem).toString('base64');
    expect((await issued({ certificate: base64 }, requestFor(pem))).found).toMatchObject({ certificate: base64 });
    const other = certificate();
    const words = hostileTexts(canary.file);
    for (const status of [
      { certificate: Buffer.from(other).toString('base64') },
      { certificate: Buffer.from('x').toString('base64') },
      { certificate: words.newline },
      { conditions: [{ type: 'Denied', message: words.escapes }] },
      { conditions: [{ type: 'Failed', message: words.bidi }] },
      7,
    ]) {
      const { found, events } = await issued(status, requestFor(pem));
      expect(found, JSON.stringify(status).slice(0, 100)).toBeUndefined();
      expect(events).toEqual([]);
    }
  });

  it('objects that a cluster says were applied, and were not, are never noted as ours', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
    const noted: unknown[] = [];
    const apply = (answer: unknown) => {
      const facts = { current: {}, documents: (...note: unknown[]) => void noted.push(note) };
      const log = { write: () => undefined };
      const context = { facts, log, emit: () => undefined, others: [], signal: new AbortController().signal };
      const document = { name: 'shop', version: '1', values: {} };
      const run = async ({ args }: Command): Promise<CommandResult> => ({
        code: 0,
        stdout: args.includes('apply') ? JSON.stringify(answer) : '',
        stderr: '',
      });
      return applyDocuments(context as never, new Kubectl({ run, runner: runnerConfig(process.env) }, '/nowhere'), [
        { document: document as never, objects: [object], hash: 'h' },
      ]);
    };
    await apply({ ...object, metadata: { name: 'settings', namespace: 'default' } });
    expect(JSON.stringify(noted)).toContain('v1 ConfigMap default/settings');
    noted.length = 0;
    for (const metadata of [{ name: 'other' }, { name: '../x' }, { name: 'settings', namespace: '--all' }])
      for (const kind of ['ConfigMap', 'Namespace'])
        await outcomeOf(() => apply({ ...object, kind, metadata }), JSON.stringify(metadata));
    expect(noted).toEqual([]);
  });

  it('a line of objects of components has no word that a person or kubectl would obey', () => {
    const honest = ['Cluster', 'team', 'shop', '<none>', 'u-1', 'u-2,u-3'];
    expect(ObjectRow.parse(honest)).toEqual([...honest.slice(0, 5), ['u-2', 'u-3']]);
    for (const [title, text] of Object.entries(hostileTexts(canary.file)))
      for (const index of honest.keys()) {
        const read = ObjectRow.safeParse(honest.map((word, at) => (at === index ? text : word)));
        if (read.success) expect(JSON.stringify(read.data), title).not.toMatch(obeyedInJson);
        if (read.success) expect(JSON.stringify(read.data), title).not.toMatch(/"-|\.\.|\s|[$`;|]/);
      }
  });

  it('the version of an API server is a version', async () => {
    const state = twoProviderState();
    const context = {
      document: { before: { ...state, kubernetesVersion: '1.33.0' } },
      target: state,
      others: [],
      facts: { current: twoProviderFacts },
      ports: { artifacts: { getText: async () => kubeconfigTo() } },
      mask: { add: () => undefined },
      runner: runnerConfig(process.env),
      workDirectory: directory,
      emit: vi.fn(),
    };
    const ask = (gitVersion: string) => {
      const answers = [
        { items: [{ metadata: { name: 'a' }, status: { nodeInfo: { kubeletVersion: 'v1.33.0' } } }] },
        { serverVersion: { gitVersion } },
      ];
      const run = async () => ({ code: 0, stdout: JSON.stringify(answers.shift() ?? {}), stderr: '' });
      return outcomeOf(() => continueUpgrade({ ...context, run } as never, state), gitVersion.slice(0, 50));
    };
    expect(await ask(`v${state.kubernetesVersion}`)).toEqual(['--force-upgrade']);
    for (const text of Object.values(hostileTexts(canary.file))) expect(await ask(text)).toBeUndefined();
  });
});
