/** Who gets the credentials of a build: its runner, once, for its own job. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Job, questionKeys } from '#contracts/job.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { handOut } from '#functions/pipeline/builds/hand-out.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix } from '#test/runner/stage-world.ts';

const projects = Object.fromEntries(
  ['terraform', 'ansible', 'kubeone', 'kubectl', 'drift'].map((tool) => [tool, `kubeloom-${tool}`]),
);
const roles = Object.fromEntries(Object.values(projects).map((project) => [`${project}-builds`, [project]]));
const token = 'a'.repeat(43);
let deps: FakeDeps;

beforeEach(() => {
  deps = fakeDeps({
    KUBELOOM_RUNNER_PROJECTS: JSON.stringify(projects),
    KUBELOOM_BUILD_ROLES: JSON.stringify(roles),
    KUBELOOM_TOOL_ROLES: JSON.stringify(
      Object.fromEntries(Object.keys(projects).map((tool) => [tool, `arn:aws:iam::123456789012:role/tool-${tool}`])),
    ),
  });
});

/** Starts a build as the state machines do; returns the session name of its role. */
async function build(tool: string, KUBELOOM_JOB: string): Promise<string> {
  const id = await deps.builds.start(`kubeloom-${tool}`, { KUBELOOM_JOB });
  return callerOf(id);
}
const callerOf = (id: string): string => {
  const [project, number] = id.split(':');
  return `arn:aws:sts::123456789012:assumed-role/${project}-builds/AWSCodeBuild-${number}`;
};
const stage = async (name = 'infrastructure', tool = 'terraform'): Promise<string> => {
  await deps.artifacts.putText(waypointKeys.document(prefix), JSON.stringify(aDocument([])));
  return build(tool, `${prefix}/${name}/do/1`);
};
const events = async () => (await deps.events.list({ namespace: 'team', name: 'shop' }, 100)).items;

describe('the credentials of a build', () => {
  it('a build gets a session of the role of its tool, for its own place and Secrets', async () => {
    const caller = await stage();
    expect(await handOut(deps, caller, token)).toMatchObject({ accessKeyId: 'KEY1' });
    const [session] = deps.buildSessions.opened;
    expect(session).toMatchObject({
      role: 'arn:aws:iam::123456789012:role/tool-terraform',
      seconds: 900,
      tags: {
        namespace: 'team',
        manifest: 'shop',
        cluster: 'shop-1234567',
        run: 'shop-abcde-g1-a1',
        waypoint: 'w00',
        attempt: 'infrastructure/1',
        question: '-',
      },
    });
    expect(session?.policy).toContain('parameter/kubeloom/user/team/');
  });

  it('a call with the same token renews them, and one with another token is refused and leaves one event', async () => {
    const caller = await stage();
    await handOut(deps, caller, token);
    await expect(handOut(deps, caller, token)).resolves.toMatchObject({ accessKeyId: 'KEY2' });
    for (const other of ['b', 'c', 'b'])
      await expect(handOut(deps, caller, other.repeat(43))).rejects.toMatchObject({ name: 'Forbidden' });
    expect(deps.buildSessions.opened).toHaveLength(2);
    expect((await events()).map(({ kind, cluster }) => [kind, cluster])).toEqual([
      ['CredentialsRefused', 'shop-1234567'],
    ]);
    await expect(handOut(deps, caller, token)).resolves.toMatchObject({ accessKeyId: 'KEY3' });
  });

  it('one of several that ask at once with different tokens gets them', async () => {
    const caller = await stage();
    const asked = ['b', 'c', 'd'].map((one) => handOut(deps, caller, one.repeat(43)));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('a build that has ended gets none, and its credentials are not renewed', async () => {
    const caller = await stage();
    await handOut(deps, caller, token);
    for (const id of deps.builds.statuses.keys()) deps.builds.statuses.set(id, 'ended');
    await expect(handOut(deps, caller, token)).rejects.toThrow('has ended');
  });

  const forged: readonly (readonly [what: string, caller: string])[] = [
    ['no caller', ''],
    ['a user', 'arn:aws:iam::123456789012:user/ann'],
    ['another role', 'arn:aws:sts::123456789012:assumed-role/admin/AWSCodeBuild-1'],
    ['a role of another installation', 'arn:aws:sts::123456789012:assumed-role/other-terraform-builds/AWSCodeBuild-1'],
    ['a session of another name', 'arn:aws:sts::123456789012:assumed-role/kubeloom-terraform-builds/mine'],
    ['a name after the number', 'arn:aws:sts::123456789012:assumed-role/kubeloom-terraform-builds/AWSCodeBuild-1/x'],
    ['a build that does not exist', 'arn:aws:sts::123456789012:assumed-role/kubeloom-terraform-builds/AWSCodeBuild-99'],
    ['the number of a build of another project', callerOf('kubeloom-ansible:1')],
    ['a member of every object', 'arn:aws:sts::123456789012:assumed-role/constructor/AWSCodeBuild-1'],
    ['a session of the tool role', 'arn:aws:sts::123456789012:assumed-role/tool-terraform/AWSCodeBuild-1'],
  ];
  it.each(forged)('%s gets none', async (_, caller) => {
    await stage();
    await expect(handOut(deps, caller, token)).rejects.toMatchObject({ name: 'Forbidden' });
    expect(deps.buildSessions.opened).toEqual([]);
  });

  it('a build of one runner with the job of another gets none', async () => {
    const caller = await stage('kubernetes', 'terraform');
    await expect(handOut(deps, caller, token)).rejects.toThrow('is not one of the runner kubeone');
  });

  it('a build whose document is about another place gets none', async () => {
    const other = [
      aDocument([], { namespace: 'others' }),
      aDocument([], { manifest: 'bank' }),
      aDocument([], { cluster: 'bank-1234567' }),
      aDocument([], { runId: 'shop-abcde-g9-a1' }),
    ];
    for (const document of other) {
      await deps.artifacts.putText(waypointKeys.document(prefix), JSON.stringify(document));
      const caller = await build('terraform', `${prefix}/infrastructure/do/1`);
      await expect(handOut(deps, caller, token)).rejects.toThrow('about another cluster or namespace');
    }
  });

  it('a build whose document names a pattern in place of a Secret gets none', async () => {
    for (const secret of ['others/*', '*/*', 'team/a?b', 'team/${aws:userid}']) {
      const target = structuredClone(twoProviderState());
      for (const { source } of target.pools) if (source.kind === 'dynamic') Object.assign(source.provider, { secret });
      await deps.artifacts.putText(waypointKeys.document(prefix), JSON.stringify(aDocument([], { target })));
      const caller = await build('terraform', `${prefix}/infrastructure/do/1`);
      await expect(handOut(deps, caller, token), secret).rejects.toMatchObject({ name: 'Forbidden' });
    }
  });

  it('a build without a job, or without its document, gets none', async () => {
    const id = await deps.builds.start('kubeloom-terraform', {});
    await expect(handOut(deps, callerOf(id), token)).rejects.toThrow('has no job');
    const caller = await build('terraform', 'runs/team/shop/r/c/w09/infrastructure/do/1');
    await expect(handOut(deps, caller, token)).rejects.toThrow('does not exist');
  });

  it('a check for drift has its own place', async () => {
    await deps.artifacts.putText(waypointKeys.document(prefix), JSON.stringify(aCheck(twoProviderState())));
    await handOut(deps, await build('drift', `${prefix}/drift/do/1`), token);
    expect(deps.buildSessions.opened[0]?.tags).toMatchObject({ attempt: 'drift/1', cluster: 'shop-1234567' });
  });

  const questions: readonly (readonly [tool: string, job: string, question: object, tags: object])[] = [
    [
      'terraform',
      'checks/team/shop/hz/1',
      { kind: 'credentials', provider: 'hz', type: 'hetzner', secret: 'shared/hz', regions: [] },
      { question: 'team/shop/hz/1', namespace: 'team', manifest: '-', cluster: '-' },
    ],
    [
      'terraform',
      'checks/_templates/team/tpl/abc/1',
      { kind: 'templates', url: 'git.example/x', revision: 'main', secret: 'team/git' },
      { question: '_templates/team/tpl/abc/1', namespace: 'team' },
    ],
    [
      'terraform',
      'checks/_plugins/team/abc/1',
      {
        kind: 'plugin',
        name: 'acme',
        url: 'git.example/x',
        version: 'main',
        properties: {},
        kept: { namespace: 'team', manifest: 'shop', version: `git:x@y#.+copy:${'a'.repeat(64)}` },
      },
      { question: '_plugins/team/abc/1', namespace: 'team', manifest: 'shop', cluster: '-' },
    ],
    [
      'kubectl',
      'access/team/shop/shop-1234567/certificate-abc/1',
      {
        kind: 'certificate',
        role: 'view',
        seconds: 3600,
        request: '',
        namespace: 'team',
        manifest: 'shop',
        cluster: 'shop-1234567',
        clusterName: 'shop',
        kubeconfigKey: 'kubeconfigs/team/shop/shop-1234567',
        states: [twoProviderState()],
        facts: { nodes: {}, loadBalancers: {}, simulated: [] },
        caller: 'ann',
      },
      { question: 'team/shop/shop-1234567/certificate-abc/1', cluster: 'shop-1234567' },
    ],
  ];
  it.each(questions)('a question to %s below %s gets its own place', async (tool, job, question, tags) => {
    await deps.artifacts.putText(questionKeys.request(job), JSON.stringify(question));
    await handOut(deps, await build(tool, job), token);
    expect(deps.buildSessions.opened[0]?.tags).toMatchObject(tags);
  });

  it('a question about another namespace or cluster than that of its place gets none', async () => {
    const [, , plugin, certificate] = questions;
    const moved: readonly (readonly [Job['kind'], string, string, unknown])[] = [
      ['question', 'terraform', 'checks/_plugins/others/abc/1', plugin?.[2]],
      ['question', 'kubectl', 'access/team/shop/bank-1234567/certificate-abc/1', certificate?.[2]],
      ['question', 'kubectl', 'access/others/shop/shop-1234567/certificate-abc/1', certificate?.[2]],
    ];
    for (const [, tool, job, question] of moved) {
      await deps.artifacts.putText(questionKeys.request(job), JSON.stringify(question));
      await expect(handOut(deps, await build(tool, job), token)).rejects.toThrow('about another');
    }
  });
});
