/** `kubeloom kubeconfig --ttl --role`: the key is made here, and what is sent has only its public half. */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ttlSeconds } from '#cli/access/access-request.ts';
import { type IssuingApi, issueKubeconfig } from '#cli/access/issued-kubeconfig.ts';
import type { KubeconfigRequest } from '#contracts/access-requests.ts';
import { isAbout } from '#domain/certificates/client-request.ts';

const issued = {
  server: 'https://192.0.2.1:6443',
  authority: 'Y2E=',
  certificate: 'Y2VydA==',
  until: '2026-11-23T05:00:00.000Z',
};
const about = { namespace: 'team', name: 'shop', cluster: 'web-1234567', id: '1', startedAt: '', build: 'kubectl:1' };
const wanted = {
  namespace: 'team',
  name: 'shop',
  cluster: 'web-1234567',
  title: 'web',
  role: 'view',
  seconds: 3600,
} as const;

/** An API that answers so, one answer after the other. */
function apiOf(...answers: Partial<Awaited<ReturnType<IssuingApi['getIssuedKubeconfig']>>>[]) {
  const sent: KubeconfigRequest[] = [];
  const api: IssuingApi = {
    whoAmI: async () => ({ name: 'local:ann', kind: 'token', from: '127.0.0.1', grants: [] }),
    requestKubeconfig: async (_, body) => {
      if (body) sent.push({ role: 'view', seconds: 3600, ...body });
      return { ...about, links: {} };
    },
    getIssuedKubeconfig: async () => ({
      ...about,
      status: 'done',
      issued: null,
      problem: null,
      ...(answers.length > 1 ? answers.shift() : answers[0]),
    }),
  };
  return { api, sent };
}

describe('a kubeconfig of one’s own', () => {
  it('the request is about the caller and the role, and the kubeconfig has the key that it was made with', async () => {
    const { api, sent } = apiOf({ status: 'running' }, { issued });
    const { text, until } = await issueKubeconfig(api, wanted, { pollMs: 1, limitMs: 60_000 });
    expect(until.toISOString()).toBe(issued.until);
    const [{ request, role, seconds } = { request: '', role: '', seconds: 0 }] = sent;
    expect([role, seconds]).toEqual(['view', 3600]);
    expect(isAbout(request, { user: 'kubeloom:local:ann', group: 'kubeloom:view' })).toBe(true);
    const kubeconfig = parse(text);
    expect(kubeconfig).toMatchObject({
      clusters: [{ name: 'web-view', cluster: { server: issued.server, 'certificate-authority-data': 'Y2E=' } }],
      users: [{ name: 'web-view', user: { 'client-certificate-data': 'Y2VydA==' } }],
      'current-context': 'web-view',
    });
    const key = createPrivateKey(Buffer.from(kubeconfig.users[0].user['client-key-data'], 'base64').toString());
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
    const bytes = Buffer.from(request.split('\n').slice(1, -2).join(''), 'base64');
    expect(bytes.includes(publicKey)).toBe(true);
    const secret = key.export({ format: 'jwk' }).d ?? '';
    expect(bytes.includes(Buffer.from(secret, 'base64url'))).toBe(false);
  });

  it('kubeconfig says why nothing was issued, also when the build is lost or does not end', async () => {
    const refused = apiOf({ problem: 'The cluster signed no client certificate.' });
    await expect(issueKubeconfig(refused.api, wanted)).rejects.toThrow('signed no client certificate');
    const lost = apiOf({ status: 'lost' });
    await expect(issueKubeconfig(lost.api, wanted)).rejects.toThrow('the log of build kubectl:1 says why');
    const endless = apiOf({ status: 'running' });
    await expect(issueKubeconfig(endless.api, wanted, { pollMs: 1, limitMs: -1 })).rejects.toThrow(
      'is running or queued',
    );
  });

  it('times are from 10 minutes to 24 hours', () => {
    expect(['10m', '90m', '1h30m', '24h'].map(ttlSeconds)).toEqual([600, 5400, 5400, 86_400]);
    for (const wrong of ['', '1', '9m', '25h', '1d', '-1h', '1h 30m'])
      expect(() => ttlSeconds(wrong)).toThrow('--ttl is a time from 10m to 24h');
  });
});
