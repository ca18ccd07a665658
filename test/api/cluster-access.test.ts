/** Client certificates of people: who may ask for which role, about whom a request is, and who sees its result. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { questionKeys } from '#contracts/job.ts';
import { isAbout, signedRequest, unsignedRequest } from '#domain/certificates/client-request.ts';
import type { NodeState } from '#domain/cluster-state.ts';
import { type ApiUnderTest, apiUnderTest, as, bindRoles } from './api-under-test.ts';
import { manifestPath } from './documents.ts';
import { aClusterRecord, aState } from './records.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const kubeconfigKey = 'kubeconfigs/team/shop/web-1234567';
const path = `${manifestPath}/clusters/web/kubeconfig`;
const root = as('root');

function requestOf(user: string, group: string): string {
  const unsigned = unsignedRequest({ user, group }, publicKey.export({ format: 'der', type: 'spki' }));
  return signedRequest(unsigned, sign('sha256', unsigned, privateKey));
}

/** As `openssl req -new -subj /O=kubeloom:view/CN=kubeloom:ann` makes it, and with `/O=system:masters` in between. */
const byOpenssl = `-----BEGIN CERTIFICATE REQUEST-----
MIHpMIGRAgEAMC8xFjAUBgNVBAoMDWt1YmVsb29tOnZpZXcxFTATBgNVBAMMDGt1
YmVsb29tOmFubjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDmS4iZQp4hhbGMf
2MlU4vsnnObR1ULoe7trqpOBF+YtPr/Y8VTNG0v8ibyrkmETBOsgWO76jEJX3sTs
iLK1b1agADAKBggqhkjOPQQDAgNHADBEAiBCLOUHNk1o8LhqTOcwebhhG6gIkgxL
VI3XoP3z/TOiMAIgPgOH9dCSdWGBGtjumunPyGz+g5HmUJkXsIEa0hVMtkA=
-----END CERTIFICATE REQUEST-----
`;
const withMasters = `-----BEGIN CERTIFICATE REQUEST-----
MIIBAzCBqgIBADBIMRYwFAYDVQQKDA1rdWJlbG9vbTp2aWV3MRcwFQYDVQQKDA5z
eXN0ZW06bWFzdGVyczEVMBMGA1UEAwwMa3ViZWxvb206YW5uMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEFX5CVSNDhTMb/NfRfAgK8lLA0m0RJHIk8TsYUvs2E7YZ
dEeR0Wiegz7EocKzUerT9dFuzQ/dttDQXFLoVJmTJ6AAMAoGCCqGSM49BAMCA0gA
MEUCIB2stgTbOU6us9QKnld4rYcyVBwFZP6DlVckXEwAmozcAiEA9w6uyQDrAoRr
9vb94QrNCylzCs6SD2fmFBFsPtl8hU4=
-----END CERTIFICATE REQUEST-----
`;

describe('a certificate request', () => {
  const ann = { user: 'kubeloom:ann', group: 'kubeloom:view' };

  it('a request of any tool is about its user and group', () => {
    expect(isAbout(byOpenssl, ann)).toBe(true);
    const long = { user: `kubeloom:arn:aws:iam::123456789012:role/${'x'.repeat(200)}`, group: 'kubeloom:ädmin' };
    expect(isAbout(requestOf(long.user, long.group), long)).toBe(true);
  });

  it('a request that adds a group, or is about someone else, is not about the user', () => {
    expect(isAbout(withMasters, ann)).toBe(false);
    expect(isAbout(byOpenssl, { ...ann, user: 'kubeloom:eve' })).toBe(false);
    expect(isAbout(byOpenssl, { ...ann, group: 'kubeloom:admin' })).toBe(false);
  });

  it('a certificate request that cannot be parsed names no one', () => {
    const [head, ...lines] = byOpenssl.split('\n');
    for (const text of ['', 'x', `${byOpenssl}${byOpenssl}`, [head, 'MIHpMIGR', ...lines.slice(-2)].join('\n')])
      expect(isAbout(text, ann)).toBe(false);
  });
});

describe('a kubeconfig of one’s own', () => {
  let api: ApiUnderTest;
  beforeEach(async () => {
    api = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
    const facts = { nodes: {}, loadBalancers: {}, simulated: [], kubeconfigKey };
    await api.deps.clusters.put(aClusterRecord({ current: aState([]), facts }));
    await bindRoles(api.deps, 'team', { viewer: 'viewer', operator: 'operator' });
  });
  const ask = (who: string, role: string, more: object = {}) =>
    api.call('POST', path, {
      body: { role, request: requestOf(`kubeloom:${who}`, `kubeloom:${role}`), ...more },
      ...as(who),
    });
  const started = () => api.deps.builds.started.map(({ variables }) => variables.KUBELOOM_JOB ?? '');

  it('viewers may look into the cluster, and only operators may change it', async () => {
    expect((await ask('viewer', 'view')).status).toBe(202);
    for (const role of ['edit', 'admin']) {
      const refused = await ask('viewer', role);
      expect(refused.status).toBe(403);
      expect(refused.json.detail).toContain('viewer lacks the role operator in namespace "team"');
    }
    expect((await ask('operator', 'admin')).status).toBe(202);
    expect(started()).toHaveLength(2);
  });

  it('a request about someone else, or another role, is refused with the subject that it needs', async () => {
    const request = requestOf('kubeloom:root', 'kubeloom:view');
    const refused = await ask('viewer', 'view', { request });
    expect(refused.status).toBe(400);
    expect(refused.json.detail).toContain('O=kubeloom:view, CN=kubeloom:viewer');
    expect((await ask('viewer', 'view', { request: requestOf('kubeloom:viewer', 'kubeloom:admin') })).status).toBe(400);
    expect(started()).toEqual([]);
  });

  it('a certificate for a minute, or for a month, is refused', async () => {
    for (const seconds of [60, 30 * 86_400]) expect((await ask('viewer', 'view', { seconds })).status).toBe(400);
  });

  it('the runner is asked with the key of the stored kubeconfig, and the event says who, from where, as what', async () => {
    expect((await ask('operator', 'edit', { seconds: 7200 })).json).toMatchObject({ cluster: 'web-1234567', id: '1' });
    const [prefix = ''] = started();
    expect(prefix).toMatch(/^access\/team\/shop\/web-1234567\/certificate-[0-9a-f]{16}\/1$/);
    expect(JSON.parse((await api.deps.artifacts.getText(questionKeys.request(prefix))) ?? '')).toMatchObject({
      kind: 'certificate',
      role: 'edit',
      seconds: 7200,
      kubeconfigKey,
      clusterName: 'web',
      caller: expect.stringMatching(/^operator from /),
    });
    const { items } = (await api.call('GET', `${manifestPath}/events`, { ...root })).json;
    expect(items).toMatchObject([
      {
        message: expect.stringMatching(
          /^kubeconfig of web with the role edit for 120 min, requested by operator from /,
        ),
      },
    ]);
  });

  it('only the caller who requested a certificate can read it', async () => {
    await ask('viewer', 'view');
    const look = async (who: string) => api.call('GET', `${path}/1`, as(who));
    expect((await look('viewer')).json).toMatchObject({ status: 'running', issued: null, problem: null });
    const issued = {
      server: 'https://192.0.2.1:6443',
      authority: 'Y2E=',
      certificate: 'Y2VydA==',
      until: '2026-11-23',
    };
    const result = { schema: 2, endedAt: '2026-11-23', kind: 'certificate', found: issued };
    await api.deps.artifacts.putText(questionKeys.result(started()[0] ?? ''), JSON.stringify(result));
    const seen = await look('viewer');
    expect(seen.json).toMatchObject({ status: 'done', issued });
    expect(seen.headers['cache-control']).toBe('no-store');
    expect([(await look('operator')).status, (await look('root')).status]).toEqual([404, 404]);
  });

  it('one request of a caller runs at a time, and others do not wait for it', async () => {
    await ask('viewer', 'view');
    expect((await ask('viewer', 'view')).status).toBe(409);
    expect((await ask('operator', 'view')).status).toBe(202);
  });

  it('a simulated control plane signs nothing, and one that does not run has nothing to sign with', async () => {
    const facts = { nodes: {}, loadBalancers: {}, simulated: ['control plane'], kubeconfigKey };
    const record = (await api.deps.clusters.list({ namespace: 'team', name: 'shop' }))[0];
    if (record === undefined) throw new Error('no cluster');
    await api.deps.clusters.put({ ...record, version: record.version + 1, facts });
    const refused = await ask('viewer', 'view');
    expect([refused.status, refused.json.detail]).toEqual([
      409,
      expect.stringContaining('its control plane is simulated'),
    ]);
    await api.deps.clusters.put({
      ...record,
      version: record.version + 2,
      facts: { nodes: {}, loadBalancers: {}, simulated: [] },
    });
    expect((await ask('viewer', 'view')).status).toBe(404);
  });
});

describe('SSH access to nodes', () => {
  const ssh = `${manifestPath}/clusters/web/ssh-access`;
  const publicKey = `ssh-ed25519 ${Buffer.alloc(51).toString('base64')} ann@laptop`;
  async function apiWithNodes(simulated: string[] = []): Promise<ApiUnderTest> {
    const api = apiUnderTest();
    const facts = { nodes: {}, loadBalancers: {}, simulated };
    const state = aState(['compute-00', 'metal-00']);
    const owned = { endpoint: '192.0.2.9', username: 'root', secret: 'team/metal' };
    const withOwned = (node: NodeState): NodeState => (node.name === 'metal-00' ? { ...node, static: owned } : node);
    const pools = state.pools.map((pool) => ({ ...pool, nodes: pool.nodes.map(withOwned) }));
    await api.deps.clusters.put(aClusterRecord({ current: { ...state, pools }, facts }));
    return api;
  }

  it('the runner that may read keys of pools is asked for the nodes that Kubeloom created, and the event names them', async () => {
    const api = await apiWithNodes();
    expect((await api.call('POST', ssh, { body: { publicKey } })).status).toBe(202);
    const [prefix = ''] = api.deps.builds.started.map(({ variables }) => variables.KUBELOOM_JOB ?? '');
    expect(JSON.parse((await api.deps.artifacts.getText(questionKeys.request(prefix))) ?? '')).toMatchObject({
      kind: 'ssh',
      seconds: 3600,
      publicKey,
      nodes: expect.arrayContaining(['control-00', 'compute-00']),
    });
    const { items } = (await api.call('GET', `${manifestPath}/events`)).json;
    expect(items).toMatchObject([
      { message: expect.stringMatching(/^SSH access to all nodes of web for 60 min, requested by tester from /) },
    ]);
  });

  it('a private key, several lines and options of sshd are no key', async () => {
    const api = await apiWithNodes();
    const wrong = ['-----BEGIN OPENSSH PRIVATE KEY-----', `${publicKey}\n${publicKey}`, `command="x" ${publicKey}`, ''];
    for (const one of wrong) expect((await api.call('POST', ssh, { body: { publicKey: one } })).status).toBe(400);
    expect(api.deps.builds.started).toEqual([]);
  });

  it('static nodes, unknown nodes and simulated machines are refused with the reason', async () => {
    const api = await apiWithNodes();
    const ask = async (target: string) => (await api.call('POST', ssh, { body: { publicKey, target } })).json.detail;
    expect(await ask('metal-00')).toContain('static nodes only');
    expect(await ask('nothing')).toContain('has no node or node pool "nothing"');
    const simulated = await apiWithNodes(['machines']);
    expect((await simulated.call('POST', ssh, { body: { publicKey } })).status).toBe(409);
  });
});
