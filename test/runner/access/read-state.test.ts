/** What Terraform knows of a cluster, for a person: resources of stored states, and nothing that could be a secret. */
import { beforeEach, describe, expect, it } from 'vitest';
import { errorIn, foundIn, questionKeys, readQuestionResult } from '#contracts/job.ts';
import { answerQuestion } from '#runner/answer-question.ts';
import { answers } from '#runner/answers.ts';
import { type FakeDeps, fakeDeps } from '#test/fakes/fake-deps.ts';
import { boundedForQuestion } from '#test/fakes/session-of.ts';

const prefix = 'access/team/shop/shop-1234567/state-0123456789abcdef/1';
const states = 'terraform/team/shop/shop-1234567';
let deps: FakeDeps;

/** As Terraform 1.11 writes it. */
const state = {
  version: 4,
  terraform_version: '1.11.4',
  serial: 7,
  lineage: '3b0d0f5c-6e9f-4d0e-8a55-0c8f0f0f0f0f',
  outputs: { nodes: { value: { password: 'kumquat-output' }, type: 'dynamic', sensitive: true } },
  resources: [
    {
      module: 'module.pool_web',
      mode: 'managed',
      type: 'hcloud_server',
      name: 'node',
      provider: 'provider["registry.terraform.io/hetznercloud/hcloud"]',
      instances: [
        {
          index_key: 'web-01',
          schema_version: 0,
          attributes: {
            id: '4711',
            name: 'web-01',
            server_type: 'cx22',
            ipv4_address: '203.0.113.5',
            user_data: 'kumquat-user-data',
            root_password: 'kumquat-password',
            token: 'kumquat-token',
            value: 'kumquat-value',
            labels: { note: 'kumquat-label' },
            backups: false,
          },
          sensitive_attributes: [],
          private: 'a3VtcXVhdA==',
          dependencies: ['module.pool_web.hcloud_ssh_key.key'],
        },
        { index_key: 'web-02', status: 'tainted', attributes: { id: '4712' } },
      ],
    },
    { mode: 'data', type: 'hcloud_image', name: 'os', instances: [{ attributes: { id: 'ubuntu' } }] },
    { mode: 'managed', type: 'hcloud_volume', name: 'disk', instances: [{ index_key: 0, attributes: { id: 5 } }] },
  ],
};

async function ask(address?: string, workspaces: readonly string[] = ['machines-hetzner']): Promise<boolean> {
  const about = { namespace: 'team', manifest: 'shop', cluster: 'shop-1234567', workspaces };
  const request = { kind: 'state', ...about, ...(address !== undefined && { address }) };
  await deps.artifacts.putText(questionKeys.request(prefix), JSON.stringify(request));
  return answerQuestion(prefix, await boundedForQuestion(deps, prefix), {
    signal: new AbortController().signal,
    templatesDirectory: '/nowhere',
    answers,
  });
}
const text = async () => (await deps.artifacts.getText(questionKeys.result(prefix))) ?? '';
const read = async () => foundIn('state', readQuestionResult(await text()));
const failure = async () => errorIn(readQuestionResult(await text()));
const put = (content: unknown, name = 'machines-hetzner') =>
  deps.artifacts.putText(`${states}/${name}.tfstate`, JSON.stringify(content));

beforeEach(async () => {
  deps = fakeDeps();
  await put(state);
});

describe('the Terraform states of a cluster', () => {
  it('resources are listed with their addresses and the ids that the cloud gave them', async () => {
    expect(await ask()).toBe(true);
    expect(await read()).toEqual({
      workspaces: [
        {
          workspace: 'machines-hetzner',
          serial: 7,
          waits: false,
          resources: [
            { address: 'module.pool_web.hcloud_server.node["web-01"]', id: '4711' },
            {
              address: 'module.pool_web.hcloud_server.node["web-02"]',

              id: '4712',
              tainted: true,
            },
            { address: 'data.hcloud_image.os', id: 'ubuntu' },
            { address: 'hcloud_volume.disk[0]', id: '5' },
          ],
        },
      ],
    });
  });

  it('one resource has what identifies it, and none of its other values', async () => {
    await put({ ...state, resources: [] }, 'dns-lb-aws');
    await ask('module.pool_web.hcloud_server.node["web-01"]', ['machines-hetzner', 'dns-lb-aws']);
    const [only, ...rest] = (await read())?.workspaces ?? [];
    expect(rest).toEqual([]);
    expect(only?.resources).toEqual([
      {
        address: 'module.pool_web.hcloud_server.node["web-01"]',
        id: '4711',
        attributes: { id: '4711', name: 'web-01', server_type: 'cx22', ipv4_address: '203.0.113.5' },
      },
    ]);
    expect(await text()).not.toMatch(/kumquat|a3VtcXVhdA/);
  });

  it('a workspace without a state says so, and one whose newer state waits to be saved, too', async () => {
    await deps.artifacts.putText(`${states}/machines-hetzner.tfstate.errored`, '{}');
    await ask(undefined, ['machines-hetzner', 'dns-lb-aws']);
    const found = (await read())?.workspaces.map(({ workspace, serial, waits }) => ({ workspace, serial, waits }));
    expect(found).toEqual([
      { workspace: 'machines-hetzner', serial: 7, waits: true },
      { workspace: 'dns-lb-aws', serial: null, waits: false },
    ]);
  });

  it('an address that no state has is refused, with how to find one', async () => {
    expect(await ask('hcloud_server.nothing')).toBe(false);
    expect(await failure()).toMatchObject({ class: 'user', code: 'ResourceUnknown' });
  });

  it('a build for one cluster cannot read the state of another, and writes none', async () => {
    await ask();
    const bounded = await boundedForQuestion(deps, prefix);
    await put(state, '../shop-7654321/machines-hetzner');
    await expect(bounded.artifacts.getText('terraform/team/shop/shop-7654321/machines-a.tfstate')).rejects.toThrow();
    await expect(bounded.artifacts.putText(`${states}/machines-hetzner.tfstate`, '{}')).rejects.toThrow();
    await expect(bounded.secrets.get('user/team/hetzner')).rejects.toThrow();
  });
});
