/** What a person tells a manifest, from the command line to what stands in the end, on a platform that simulates. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { kubeloomProcess, root } from './kubeloom-process.ts';

let platform: Platform;
let directory: string;
const settings = ['KUBELOOM_SIM_FAULTS', 'KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG', 'KUBELOOM_STAGE_RETRY_SECONDS'];
const before = settings.map((name) => [name, process.env[name]] as const);

const environment = () => ({ KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token });
const kubeloom = (args: readonly string[], stdin = '') => run(args, { stdin, environment: environment() });

const minimal = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');

/** A manifest of that name with so many compute nodes, as a file. */
function file(name: string, compute = 2): string {
  const path = join(directory, `${name}-${compute}.yaml`);
  const text = minimal.replaceAll(/name: (sim-)?minimal/g, `name: ${name}`).replace('count: 2', `count: ${compute}`);
  writeFileSync(path, text);
  return path;
}

/** Applies it and waits for its end, without the command line. */
async function applied(name: string, compute?: number): Promise<void> {
  const answer = await fetch(`${platform.apiUrl}/v1/manifests/default/${name}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/yaml' },
    body: readFileSync(file(name, compute), 'utf8'),
  });
  expect(answer.status).toBe(202);
  await platform.executions.idle();
}

async function generationOf(name: string): Promise<number> {
  const { stdout } = await kubeloom(['describe', name, '--json']);
  return (JSON.parse(stdout) as { generation: number }).generation;
}

const faults = (list: readonly object[]): void => {
  process.env.KUBELOOM_SIM_FAULTS = JSON.stringify(list);
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-verbs-'));
  process.env.KUBELOOM_LOG = 'none';
  process.env.KUBELOOM_STAGE_RETRY_SECONDS = '0';
  platform = await startSimulatedPlatform();
});
beforeEach(() => {
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  faults([]);
});
afterAll(async () => {
  await platform.stop();
  rmSync(directory, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('kubeloom apply', () => {
  it('apply stores and starts nothing when one document of several files is faulty', async () => {
    const bad = join(directory, 'bad.yaml');
    writeFileSync(bad, readFileSync(file('several-bad'), 'utf8').replace('1.36.0', '1.2.0'));
    const good = join(directory, 'good-secret.yaml');
    writeFileSync(good, 'apiVersion: v1\nkind: Secret\nmetadata: { name: several }\nstringData: { a: b }\n');
    const { code, stdout, stderr } = await kubeloom(['apply', '-f', bad, file('several'), good, '--wait', '--json']);
    const { ok, documents } = JSON.parse(stdout) as { ok: boolean; documents: Record<string, unknown>[] };
    expect([code, ok]).toEqual([3, false]);
    expect(documents).toEqual([
      { file: good, kind: 'Secret', namespace: 'default', name: 'several' },
      expect.objectContaining({ file: bad, error: expect.objectContaining({ code: 'InvalidManifest' }) }),
      expect.objectContaining({ name: 'several' }),
    ]);
    expect(documents[2]).not.toHaveProperty('accepted');
    expect(stderr).toContain('Kubernetes 1.2.0 is not supported');
    expect(stderr).toContain('nothing was stored or started');
    expect((await kubeloom(['get', 'several'])).code).toBe(4);
    expect((await kubeloom(['secrets', 'list', '--json'])).stdout).not.toContain('several');
  });

  it('apply stores nothing when what exists forbids the change of a manifest', async () => {
    await applied('lower');
    const text = readFileSync(file('lower'), 'utf8').replace('1.36.0', '1.35.0');
    const stdin = `apiVersion: v1\nkind: Secret\nmetadata: { name: lower }\nstringData: { a: b }\n---\n${text}`;
    const { code, stdout } = await kubeloom(['apply', '-f', '-'], stdin);
    expect([code, stdout]).toEqual([3, '']);
    expect((await kubeloom(['secrets', 'list', '--json'])).stdout).not.toContain('lower');
  });

  it('apply without a terminal deletes no machines unless --yes is given', async () => {
    await applied('smaller', 3);
    const refused = await kubeloom(['apply', '-f', file('smaller', 1)]);
    expect([refused.code, refused.stdout]).toEqual([9, '']);
    expect(refused.stderr).toMatch(/nothing was changed.*2 nodes removed.*--yes/);
    expect(await generationOf('smaller')).toBe(1);
    expect((await kubeloom(['apply', '-f', file('smaller', 1), '--wait', '--yes'])).code).toBe(0);
    expect((await kubeloom(['apply', '-f', file('smaller', 2), '--no-input', '--wait'])).code).toBe(0);
  });

  it('apply says that a rename destroys one cluster and creates another', async () => {
    await applied('old-name');
    const renamed = join(directory, 'renamed.yaml');
    writeFileSync(renamed, readFileSync(file('old-name'), 'utf8').replace('- name: old-name', '- name: new-name'));
    const { stdout } = await kubeloom(['plan', '-f', renamed]);
    expect(stdout).toContain('a rename destroys cluster "old-name" with 3 nodes and creates "new-name"');
    expect(stdout).toContain('total: 1 cluster added, 1 removed; 3 nodes added, 3 removed');
    expect((await kubeloom(['apply', '-f', renamed])).code).toBe(9);
  });

  it('apply takes documents from standard input, and starts nothing for unchanged ones', async () => {
    const stdin = readFileSync(file('piped'), 'utf8');
    expect((await kubeloom(['apply', '-f', '-', '--wait'], stdin)).stdout).toMatch(/Done after/);
    expect((await kubeloom(['apply', '-f', '-', '--wait'], stdin)).stdout).toContain('nothing was started');
  });

  it('apply submits nothing when the kind of a document is unknown', async () => {
    const stdin = `${readFileSync(file('nothing'), 'utf8')}\n---\nkind: Pod\nmetadata: { name: x }\n`;
    const { code, stderr } = await kubeloom(['apply', '-f', '-'], stdin);
    expect([code, stderr]).toEqual([3, expect.stringContaining('document 2: kind must be one of RoleBinding, Secret')]);
    expect((await kubeloom(['get', 'nothing'])).code).toBe(4);
  });

  it('apply leaves the run going on Ctrl-C, and says how to follow it again', async () => {
    process.env.KUBELOOM_SIM_STAGE_MS = '500';
    const args = ['apply', '-f', file('interrupted'), '--wait'];
    const { code, stderr } = await kubeloomProcess(args, {
      ...{ interruptAt: 'cluster to touch', environment: environment() },
    });
    expect(code).toBe(130);
    expect(stderr).toContain('kubeloom events interrupted -f');
    process.env.KUBELOOM_SIM_STAGE_MS = '0';
    await platform.executions.idle();
    expect((await kubeloom(['get', 'interrupted'])).stdout).toContain('Done');
  });
});

describe('kubeloom retry', () => {
  it('retry tries again what failed, as the description says', async () => {
    faults([{ stage: 'nodes', class: 'user', cluster: 'retried' }]);
    const failed = await kubeloom(['apply', '-f', file('retried'), '--wait']);
    expect(failed.code).toBe(6);
    expect(failed.stdout).toContain('`kubeloom retry retried`');
    expect(failed.stdout).toMatch(/Failed after/);
    const { code, stdout } = await kubeloom(['retry', 'retried', '--wait', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: { generation: 1, attempt: 2 }, manifest: { status: 'Done' } });
  });

  it('retry refuses a stage that does not exist and a manifest with nothing to retry', async () => {
    expect((await kubeloom(['retry', 'retried', '--from', 'building'])).code).toBe(2);
    const { code, stderr } = await kubeloom(['retry', 'retried']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('cannot be retried')]);
  });

  it('retry creates a pool that was left out of a degraded cluster', async () => {
    faults([{ stage: 'infrastructure', class: 'credentials', provider: 'sim-2' }]);
    const path = file('degraded');
    const text = readFileSync(path, 'utf8')
      .replace('  nodePools:', '    - name: sim-2\n      providerType: sim\n  nodePools:')
      .replace(
        '  kubernetes:',
        '      - { name: other, count: 1, serverType: s, image: i, providerSpec: { name: sim-2, region: r } }\n  kubernetes:',
      )
      .replace('compute: [compute]', 'compute: [compute, other]');
    writeFileSync(path, text);
    const { code, stdout } = await kubeloom(['apply', '-f', path, '--wait']);
    expect(code).toBe(6);
    expect(stdout).toMatch(/cluster degraded {2}Degraded/);
    expect(stdout).toContain('left out: pool other (compute)');
    expect((await kubeloom(['get', 'degraded'])).stdout).toMatch(/Failed .*degraded \(3 nodes\) Degraded/);
    expect((await kubeloom(['retry', 'degraded', '--wait'])).code).toBe(0);
    expect((await kubeloom(['describe', 'degraded'])).stdout).not.toContain('left out');
  });
});

describe('kubeloom cancel', () => {
  it('cancel ends a run in a working state, and calls it Aborted', async () => {
    process.env.KUBELOOM_SIM_STAGE_MS = '20000';
    expect((await kubeloom(['apply', '-f', file('cancelled')])).code).toBe(0);
    while (!(await kubeloom(['describe', 'cancelled'])).stdout.includes('infrastructure: step'));
    process.env.KUBELOOM_SIM_STAGE_MS = '0';
    const { code, stdout } = await kubeloom(['cancel', 'cancelled', '--wait']);
    expect(code).toBe(0);
    expect(stdout).toContain('Cancelled (user)');
    expect((await kubeloom(['runs', 'cancelled'])).stdout).toContain('Aborted');
  });

  it('cancel has nothing to do when the run has ended', async () => {
    const { code, stderr } = await kubeloom(['cancel', 'cancelled']);
    expect([code, stderr]).toEqual([5, expect.stringContaining('nothing is under way')]);
  });
});

describe('kubeloom pause and resume', () => {
  it('pause holds a change back, and resume releases it', async () => {
    expect((await kubeloom(['apply', '-f', file('paused'), '--wait'])).code).toBe(0);
    expect((await kubeloom(['pause', 'paused'])).stdout).toContain('is paused');
    const kept = await kubeloom(['apply', '-f', file('paused', 3), '--wait']);
    expect([kept.code, kept.stdout]).toEqual([6, expect.stringContaining('`kubeloom resume paused` starts it')]);
    expect((await kubeloom(['get'])).stdout).toMatch(/paused .*\(paused\)/);
    expect((await kubeloom(['describe', 'paused'])).stdout).toContain('nothing is started until');
    const { code, stdout } = await kubeloom(['resume', 'paused', '--wait']);
    expect(code).toBe(0);
    expect(stdout.match(/compute-\S+-0\d {2}compute/g)).toHaveLength(3);
    expect((await kubeloom(['resume', 'paused'])).code).toBe(5);
  });
});

describe('kubeloom logs -f', () => {
  it('logs -f explains that a run never started because a newer change replaced it', async () => {
    await kubeloom(['apply', '-f', file('passed-over'), '--wait']);
    await kubeloom(['pause', 'passed-over']);
    for (const nodes of [3, 4]) await kubeloom(['apply', '-f', file('passed-over', nodes)]);
    const { stdout } = await kubeloom(['runs', 'passed-over']);
    const runId = /passed-over-\w+-g2-a1/.exec(stdout)?.[0] ?? '';
    const { code, stderr } = await kubeloom(['logs', runId, '-f']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the run never started; a newer change')]);
  });
});

describe('kubeloom plan', () => {
  it('plan --detailed-exitcode says with its exit code whether there is work', async () => {
    const args = ['plan', '-f', file('coded'), '--detailed-exitcode'];
    expect((await kubeloom(args)).code).toBe(2);
    await applied('coded');
    expect((await kubeloom(args)).code).toBe(0);
  });
});

describe('kubeloom rollback', () => {
  it('rollback shows its target, and goes there once confirmed', async () => {
    await applied('back', 1);
    await applied('back', 3);
    const shown = await kubeloom(['rollback', 'back', '--plan']);
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/rollback to generation 1[\s\S]*2 nodes removed/),
    ]);
    expect((await kubeloom(['rollback', 'back'])).code).toBe(9);
    const { code, stdout } = await kubeloom(['rollback', 'back', '--to', '1', '--yes', '--wait', '--json']);
    const { manifest } = JSON.parse(stdout) as { manifest: { generation: number; clusters: { nodes: unknown[] }[] } };
    expect([code, manifest.generation, manifest.clusters[0]?.nodes.length]).toEqual([0, 3, 2]);
    const again = await kubeloom(['rollback', 'back', '--yes']);
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('2, 1 are kept')]);
    expect((await kubeloom(['rollback', 'back', '--to', 'x'])).code).toBe(2);
  });
});

describe('kubeloom delete', () => {
  it('delete removes a manifest and follows the run to its end', async () => {
    await applied('removed');
    const refused = await kubeloom(['delete', 'removed']);
    expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining('1 cluster removed; 3 nodes removed')]);
    const { code, stdout } = await kubeloom(['delete', 'removed', '--wait', '--yes']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/3 nodes removed.*removed deleted after/s)]);
    expect((await kubeloom(['describe', 'removed'])).code).toBe(4);
  });

  it('delete --orphan orphans everything and says what keeps running', async () => {
    await kubeloom(['apply', '-f', file('orphaned'), '--wait']);
    const { code, stdout } = await kubeloom(['delete', 'orphaned', '--orphan', 'all', '--wait']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/orphaned in cluster orphaned: 3 nodes/);
    expect(stdout).toMatch(/control-\S+-01 {2}sim-1 {2}anywhere {2}198\.1[89]\./);
    expect(stdout).not.toContain('hosts removed');
  });
});

describe('output for programs', () => {
  it('JSON output is one event a line, a list of logs, and the problem of an error', async () => {
    await kubeloom(['apply', '-f', file('read'), '--wait']);
    const { stdout } = await kubeloom(['events', 'read', '--json']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; runId: string });
    expect(events.at(-1)?.kind).toBe('RunSucceeded');
    const runId = events[0]?.runId ?? '';
    const logs = JSON.parse((await kubeloom(['logs', runId, '--json'])).stdout) as { stage: string }[];
    expect(logs.map(({ stage }) => stage)).toContain('kubernetes');
    expect((await kubeloom(['logs', runId, '--stage', 'kubernetes'])).stdout).toMatch(
      /^== read w00 kubernetes, try 1\n/,
    );
    const missing = await kubeloom(['describe', 'nobody', '--json']);
    expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'NotFound', status: 404 }, exitCode: 4 });
    expect(missing.stderr).toMatch(
      /^kubeloom: there is no manifest or cluster "nobody" in namespace "default"; there is .*\n$/,
    );
  });

  it.each([
    [['logs', 'read-aaaaa-g9-a1'], 4, 'no run "read-aaaaa-g9-a1"'],
    [['logs', 'nobody'], 4, 'no manifest or cluster "nobody"'],
    [['runs', 'nobody'], 4, 'no manifest or cluster "nobody"'],
    [['kubeconfig', 'nobody'], 4, 'there is no cluster "nobody"'],
    [['pause', 'a/b/c'], 2, 'write NAME or NAMESPACE/NAME'],
    [['runs', 'read', '--limit', 'x'], 2, 'write a number'],
    [['local', 'up', '--port', 'x'], 2, 'write a number'],
    [['delete', 'read', '--orphan', 'all', 'x'], 2, 'leave out the names of nodes'],
  ])('%j exits with %i and a sentence', async (args, expected, sentence) => {
    const { code, stderr, stdout } = await kubeloom(args);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(sentence)]);
    expect(stderr).not.toContain(' at ');
  });
});

describe('--allow-replace', () => {
  it('a changed server type is refused without --allow-replace, and replaces machines with it', async () => {
    await applied('replaced');
    const path = file('replaced');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/serverType: \S+/g, 'serverType: larger'));

    const refused = await kubeloom(['apply', '-f', path, '--yes']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('--allow-replace');

    const typo = await kubeloom(['apply', '-f', path, '--allow-replace', 'contrl', '--yes']);
    expect(typo.stderr).toContain('no manifest of these files has a dynamic pool of that name');

    const planned = await kubeloom(['plan', '-f', path, '--allow-replace', 'control', 'compute', '--json']);
    expect(
      JSON.parse(planned.stdout).clusters[0].waypoints.map(({ direction }: { direction: string }) => direction),
    ).toEqual(['grow', 'move', 'shrink', 'grow', 'shrink']);

    const done = await kubeloom(['apply', '-f', path, '--allow-replace', 'control', 'compute', '--yes', '--wait']);
    expect(done.code).toBe(0);
    expect(await generationOf('replaced')).toBe(2);
  });
});
