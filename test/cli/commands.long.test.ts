/** The command line as a user meets it: exit codes, what is printed, and manifests simulated to their ends. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOfSequence } from '#test/manifest/manifest-files.ts';
import { kubeloom as run } from './kubeloom.ts';
import { kubeloomProcess, root } from './kubeloom-process.ts';

let home: string;

const kubeloom = (args: readonly string[]) => run(args, { environment: { KUBELOOM_HOME: home } });
/** As a process: its stdin, and a platform of its own. */
const started = (args: readonly string[], stdin = '') =>
  kubeloomProcess(args, { stdin, environment: { KUBELOOM_HOME: home } });

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-cli-'));
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

describe('kubeloom', () => {
  it('kubeloom says what it can do, and exits with 2 on wrong use', async () => {
    expect((await kubeloom(['--help'])).stdout).toMatch(/apply.*validate.*plan.*simulate/s);
    expect((await kubeloom(['--version'])).code).toBe(0);
    expect((await kubeloom(['aply'])).code).toBe(2);
    expect((await kubeloom(['apply'])).code).toBe(2);
    const withoutFlag = await kubeloom(['apply', 'manifest.yaml']);
    expect([withoutFlag.code, withoutFlag.stderr]).toEqual([
      2,
      expect.stringContaining('`kubeloom apply -f manifest.yaml`?'),
    ]);
  });

  it('kubeloom says how to start the platform when none answers, and exits with 7', async () => {
    const { code, stderr } = await kubeloom(['get']);
    expect(code).toBe(7);
    expect(stderr).toContain('kubeloom local up');
  });

  it('schema prints the JSON Schema that is committed', async () => {
    const { stdout } = await kubeloom(['schema']);
    expect(stdout).toBe(readFileSync(join(root, 'schema/input-manifest.schema.json'), 'utf8'));
  });
});

describe('kubeloom validate', () => {
  it('validate accepts the examples and exits with 0', async () => {
    const { code, stdout } = await kubeloom(['validate', '-f', join(root, 'examples/local-two-providers.yaml')]);
    expect(code).toBe(0);
    expect(stdout).toContain('valid');
  });

  it('validate prints every fault of a document from standard input and exits with 3', async () => {
    const document = 'apiVersion: kubeloom.dev/v1\nkind: InputManifest\nmetadata: { name: UPPER }\nspek: {}\n';
    const { code, stdout } = await started(['validate', '-f', '-', '--json'], document);
    const report = JSON.parse(stdout) as { valid: boolean; documents: { faults: { path: string }[] }[] };
    expect(code).toBe(3);
    expect(report.valid).toBe(false);
    expect(report.documents[0]?.faults.map((fault) => fault.path)).toEqual(
      expect.arrayContaining(['metadata.name', 'spek']),
    );
  });

  it('validate warns of what a cloud does not have, without an installation', async () => {
    const { stdout: first } = await kubeloom(['init', '--provider', 'hetzner']);
    const { stdout } = await started(['validate', '-f', '-'], first.replace('region: fsn1', 'region: fsn9'));
    expect(stdout).toContain('Hetzner Cloud had no region "fsn9"');
    expect(stdout).toContain('did you mean fsn1?');
  });

  it('validate names a file that does not exist and exits with 2', async () => {
    const { code, stderr } = await kubeloom(['validate', '-f', 'nowhere.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot read nowhere.yaml');
  });
});

describe('kubeloom simulate', () => {
  it('simulate brings manifests that need a template to their ends, file by file', async () => {
    const { code, stdout, stderr } = await started(['simulate', '--json', ...filesOfSequence('template-change')]);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout) as { simulated: boolean; ok: boolean; steps: { status: string }[] };
    expect(report.steps.map((step) => step.status)).toEqual(['Done', 'Done']);
    expect(report).toMatchObject({ simulated: true, ok: true });
    expect(code).toBe(0);
  });

  it('simulate retries a transient failure in place', async () => {
    const { code, stdout } = await kubeloom([
      'simulate',
      '--verbose',
      '--fail',
      'kubernetes:transient',
      join(root, 'examples/local-two-providers.yaml'),
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('try 2');
  });

  it('simulate shows only the tries of a stage with an injected fault', async () => {
    const { code, stdout } = await kubeloom([
      ...['simulate', '--fail', 'kubernetes:transient:2', join(root, 'examples/sim-minimal.yaml')],
    ]);
    expect(code).toBe(0);
    expect(stdout.match(/ ! minimal\/kubernetes .*try \d of 3/g)).toHaveLength(2);
    expect(stdout).not.toContain(' · ');
  });

  it('simulate rolls a failed grow back, and says that nothing real was created', async () => {
    const { code, stdout, stderr } = await kubeloom([
      'simulate',
      '--fail',
      'kubernetes:user',
      join(root, 'examples/local-two-providers.yaml'),
    ]);
    expect(code).toBe(10);
    expect(stdout).toContain('RolledBack');
    expect(stdout).not.toContain('kubeloom logs');
    expect(stderr).toContain('simulated: no machine, network or cluster was created');
  });
});
