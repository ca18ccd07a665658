/** `kubeloom bundle RUN`: what is in the archive, and what is not. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shareable } from '#cli/bundle/shareable.ts';
import { tarOf } from '#cli/bundle/tar.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { textForms } from '#domain/observed/secret-forms.ts';
import { openTexts } from '#test/observed/open-texts.ts';
import { simulatedManifests } from './simulated-manifests.ts';

const { environment, faults, file, kubeloom } = simulatedManifests();
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-bundle-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Files of an archive by their path below its folder, as tar unpacks them. */
function unpacked(archive: string): ReadonlyMap<string, string> {
  const names = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n');
  return new Map(
    names.map((name) => [
      name.replace(/^[^/]+\//, ''),
      execFileSync('tar', ['-xzOf', archive, name], { encoding: 'utf8', maxBuffer: 50_000_000 }),
    ]),
  );
}

const runOf = async (name: string): Promise<string> =>
  JSON.parse((await kubeloom(['runs', name, '--json'])).stdout)[0].runId;

/** A manifest whose run failed, with texts of a user. */
async function failed(name: string): Promise<string> {
  faults([{ stage: 'nodes', class: 'user', cluster: name }]);
  const path = file(name);
  const text = readFileSync(path, 'utf8').replace(
    'metadata:',
    'metadata:\n  annotations: { note: "the word is kumquat" }',
  );
  writeFileSync(path, text);
  expect((await kubeloom(['apply', '-f', path, '--wait'])).code).toBe(10);
  return runOf(name);
}

describe('kubeloom bundle', () => {
  it('the archive has everything about the run, and its README says what each file is', async () => {
    const run = await failed('bundled');
    const archive = join(directory, 'bundled.tar.gz');
    const { code, stdout } = await kubeloom(['bundle', run, '-o', archive]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`about the run ${run}`)]);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const files = unpacked(archive);
    expect([...files.keys()].filter((path) => !path.startsWith('logs/'))).toEqual([
      ...['README.txt', 'run.json', 'plan.json', 'times.json', 'failures.json', 'description.json', 'manifest.json'],
      ...['events.ndjson', 'versions.json', 'doctor.json'],
    ]);
    expect([...files.keys()]).toContain('logs/bundled/w00/nodes-1.txt');
    const readme = files.get('README.txt') ?? '';
    expect(readme).toContain(`Run ${run} of the manifest default/bundled: Failed`);
    const rows = readme.split('\n').filter((line) => /^(?:[a-z]+\.n?d?json|logs) /.test(line));
    expect(rows.map((row) => row.split(/ {2,}/)[1]).filter((words) => !words)).toEqual([]);
    expect(rows.length).toBe(10);
    const failure = JSON.parse(files.get('failures.json') ?? '').bundled;
    expect(failure).toMatchObject({ class: 'user', stage: 'nodes', runId: run });
    expect(failure.message && failure.hint && failure.outcome).toBeTruthy();
    const events = (files.get('events.ndjson') ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([run]));
    expect(events.map(({ kind }) => kind)).toContain('StageFailed');
    expect(JSON.parse(files.get('versions.json') ?? '')).toMatchObject({
      node: process.version,
      installation: expect.any(String),
    });
    expect(JSON.parse(files.get('manifest.json') ?? '').metadata.name).toBe('bundled');
  });

  it('neither the token of the caller nor texts of the user are in it', async () => {
    const archive = join(directory, 'secret.tar.gz');
    await kubeloom(['bundle', 'bundled', '-o', archive]);
    const all = [...unpacked(archive).values()].join('\n');
    for (const encode of Object.values(textForms)) expect(all).not.toContain(encode(environment().KUBELOOM_TOKEN));
    expect(all).not.toMatch(/kumquat/i);
    expect(all).toContain('(left out: 19 characters)');
  });

  it('an existing file is not replaced, and nothing is read for it', async () => {
    const archive = join(directory, 'there.tar.gz');
    writeFileSync(archive, 'mine');
    const { code, stderr } = await kubeloom(['bundle', 'bundled', '-o', archive]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('exists and is not replaced')]);
    expect(readFileSync(archive, 'utf8')).toBe('mine');
  });

  it('a file that cannot be written is refused, with its place', async () => {
    const { code, stderr } = await kubeloom(['bundle', 'bundled', '-o', join(directory, 'missing', 'a.tar.gz')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be written: ENOENT')]);
  });

  it('a run that is not known is a sentence', async () => {
    const { code, stderr } = await kubeloom(['bundle', 'bundled-abcde-g7-a1', '-o', join(directory, 'no.tar.gz')]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('has no run "bundled-abcde-g7-a1"')]);
  });

  it('a run of a manifest that is deleted has its events and logs, and says what is missing', async () => {
    const run = await failed('gone');
    expect((await kubeloom(['delete', 'gone', '--yes', '--wait'])).code).toBe(0);
    const archive = join(directory, 'gone.tar.gz');
    expect((await kubeloom(['bundle', run, '-o', archive, '--json'])).code).toBe(0);
    const files = unpacked(archive);
    expect(files.get('README.txt')).toContain('The manifest is deleted');
    expect(files.has('manifest.json')).toBe(false);
    expect(files.get('events.ndjson')).toContain('StageFailed');
    expect([...files.keys()].some((path) => path.startsWith('logs/'))).toBe(true);
  });
});

/** Texts with a rule of their own that `openTexts` does not see: names of a cloud, times, and addresses without a user. */
const notOpen = [
  '.spec.nodePools.dynamic.*.providerSpec.zone',
  '.spec.nodePools.dynamic.*.providerSpec.externalNetworkName',
  ...['after', 'startAfter', 'maxUnhealthy'].map((field) => `.spec.nodePools.dynamic.*.repair.${field}`),
  '.spec.kubernetes.clusters.*.registries.mirrors.*.registry',
  '.spec.kubernetes.clusters.*.registries.mirrors.*.endpoints.*',
  '.spec.driftChecks.interval',
];

describe('what is shared', () => {
  it('every text of a manifest that may have anything in it is left out', () => {
    const open = openTexts(InputManifest).filter((path) => !/\.(key|type)$/.test(path));
    expect(open.length).toBeGreaterThan(3);
    const kept = open.filter((path) =>
      JSON.stringify(new Shareable([]).manifest(at(path, 'kumquat'))).includes('kumquat'),
    );
    expect(kept).toEqual(notOpen);
  });

  it('a secret of the caller is hidden in every form, in texts and in keys', () => {
    const secret = 'planted "kumquat" <&> secret-value';
    const shareable = new Shareable([secret]);
    for (const encode of Object.values(textForms)) {
      const form = encode(secret);
      expect(shareable.text(`a ${form} b`)).toBe('a *** b');
      expect(shareable.answer({ [form]: [form] })).toEqual({ '***': ['***'] });
    }
    expect(shareable.text(Buffer.from(`x${secret}y`).toString('base64'))).not.toContain(
      Buffer.from(secret.slice(3, 24)).toString('base64'),
    );
  });

  it('what looks like a credential is hidden, and the lines around it stay', () => {
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----';
    const text = `first\n${key}\nhttps://me:pass@host/\ntoken: abcdef0123456789\nlast`;
    expect(new Shareable([]).text(text)).toBe('first\n*** private key ***\nhttps://me:***@host/\ntoken: ***\nlast');
  });

  it('nothing of an encrypted key is left, whose headers have dashes', () => {
    const key =
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\nb3BlbnNzaC1rZXk\n-----END RSA PRIVATE KEY-----';
    expect(new Shareable([]).text(`first\n${key}\nlast`)).toBe('first\n*** private key ***\nlast');
  });

  it('an archive keeps long paths and texts of any length', () => {
    const texts = [
      { path: `${'a'.repeat(90)}/${'b'.repeat(90)}.txt`, text: 'x'.repeat(513) },
      { path: 'empty.txt', text: '' },
      { path: 'ü.txt', text: 'ü\n' },
    ];
    const archive = join(directory, 'long.tar');
    writeFileSync(archive, tarOf(texts, 1_700_000_000));
    const read = texts.map(({ path }) => execFileSync('tar', ['-xOf', archive, path], { encoding: 'utf8' }));
    expect(read).toEqual(texts.map(({ text }) => text));
    expect(() => tarOf([{ path: 'c'.repeat(300), text: '' }], 0)).toThrow(/too long/);
  });
});

/** A document with the text at a path of `openTexts`. */
function at(path: string, text: string): unknown {
  const value = path
    .split('.')
    .filter(Boolean)
    .reduceRight<unknown>((inner, key) => (key === '*' || key === '0' ? { some: inner } : { [key]: inner }), text);
  return value;
}
