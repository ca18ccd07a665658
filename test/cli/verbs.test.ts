/** What a person does to a manifest that exists, from the command line to the current state in the end, on a platform that simulates. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulatedManifests } from './simulated-manifests.ts';

const { applied, faults, file, kubeloom } = simulatedManifests();

describe('kubeloom retry', () => {
  it('retry tries again what failed, as the description says', async () => {
    faults([{ stage: 'nodes', class: 'user', cluster: 'retried' }]);
    const failed = await kubeloom(['apply', '-f', file('retried'), '--wait']);
    expect(failed.code).toBe(10);
    expect(failed.stdout).toContain('`kubeloom retry retried`');
    expect(failed.stdout).toMatch(/Failed after/);
    const { code, stdout } = await kubeloom(['retry', 'retried', '--wait', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: { generation: 1, attempt: 2 }, manifest: { status: 'Done' } });
  });

  it('retry --debug lets the tools of that run say more, and the run says so', async () => {
    faults([{ stage: 'nodes', class: 'user', cluster: 'loud' }]);
    await kubeloom(['apply', '-f', file('loud'), '--wait']);
    expect((await kubeloom(['retry', 'loud', '--debug', '--wait'])).code).toBe(0);
    expect((await kubeloom(['events', 'loud'])).stdout).toMatch(/retried with debug logs by /);
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
    expect(code).toBe(11);
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
    expect([code, stderr]).toEqual([5, expect.stringContaining('no run is in progress')]);
  });
});

describe('kubeloom pause and resume', () => {
  it('pause holds a change back, and resume releases it', async () => {
    expect((await kubeloom(['apply', '-f', file('paused'), '--wait'])).code).toBe(0);
    const times = (await kubeloom(['runs', 'paused', '--times'])).stdout;
    expect(times).toMatch(/STAGE +BUILDS +QUEUE +START +TOOL +END\n/);
    for (const stage of ['infrastructure', 'configuration', 'kubernetes', 'nodes', 'all'])
      expect(times).toContain(stage);
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
    const missing = await kubeloom(['describe', 'stranger', '--json']);
    expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'NotFound', status: 404 }, exitCode: 4 });
    expect(missing.stderr).toMatch(
      /^kubeloom: there is no manifest or cluster "stranger" in namespace "default"; there is .*\n$/,
    );
  });

  it.each([
    [['logs', 'read-aaaaa-g9-a1'], 4, 'no run "read-aaaaa-g9-a1"'],
    [['logs', 'stranger'], 4, 'no manifest or cluster "stranger"'],
    [['runs', 'stranger'], 4, 'no manifest or cluster "stranger"'],
    [['kubeconfig', 'stranger'], 4, 'there is no cluster "stranger"'],
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
