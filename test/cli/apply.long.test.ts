/** What a person applies and plans, from the command line to the current state in the end, on a platform that simulates. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kubeloomProcess } from './kubeloom-process.ts';
import { simulatedManifests } from './simulated-manifests.ts';

const { applied, environment, file, generationOf, idle, kubeloom, place } = simulatedManifests();

describe('kubeloom apply', () => {
  it('apply stores and starts nothing when one document of several files is faulty', async () => {
    const bad = place('bad.yaml');
    writeFileSync(bad, readFileSync(file('several-bad'), 'utf8').replace('1.36.0', '1.2.0'));
    const good = place('good-secret.yaml');
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
    const renamed = place('renamed.yaml');
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

  it('apply lets the run continue after Ctrl-C, and says how to follow it again', async () => {
    process.env.KUBELOOM_SIM_STAGE_MS = '500';
    const args = ['apply', '-f', file('interrupted'), '--wait'];
    const { code, stderr } = await kubeloomProcess(args, {
      interruptAt: 'cluster to touch',
      environment: environment(),
    });
    expect(code).toBe(130);
    expect(stderr).toContain('kubeloom events interrupted -f');
    process.env.KUBELOOM_SIM_STAGE_MS = '0';
    await idle();
    expect((await kubeloom(['get', 'interrupted'])).stdout).toContain('Done');
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
