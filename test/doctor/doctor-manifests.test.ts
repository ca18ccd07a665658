/** `kubeloom doctor --manifests`: DNS names that two manifests have. */
import { expect, it } from 'vitest';
import { examineNames } from '#cli/doctor/examine-names.ts';

type Api = Parameters<typeof examineNames>[0];

const serving = (hostname: string, alternativeNames: readonly string[] = [], dnsZone = 'example.com') => ({
  kind: 'InputManifest',
  spec: { loadBalancers: { clusters: [{ dns: { dnsZone, hostname, alternativeNames } }] } },
});

/** An API that has these documents. */
function apiWith(documents: Readonly<Record<string, object>>): Api {
  const keys = Object.keys(documents).map((name) => ({ namespace: 'team', name }));
  return {
    listManifests: async () => ({ items: keys }),
    getManifest: async ({ name }: { name: string }) => ({ namespace: 'team', name, document: documents[name] }),
  } as unknown as Api;
}

it('a name that several manifests have is reported with all of them, in whatever form it is written', async () => {
  const groups = { ...serving('WWW', [], 'example.com.'), kind: 'MachineGroups' };
  const api = apiWith({ first: serving('k8s', ['www']), second: serving('K8s'), third: groups, fourth: serving('x') });
  expect(await examineNames(api)).toEqual([
    {
      name: 'k8s.example.com',
      ok: false,
      found: 'a name of team/first and team/second: requests reach either of them',
      for: 'all',
      fix: 'use another host name in team/second, or delete it',
    },
    expect.objectContaining({
      name: 'www.example.com',
      found: 'a name of team/first and team/third: requests reach either of them',
    }),
  ]);
});

it('a name that one manifest has is counted', async () => {
  const api = apiWith({ first: serving('k8s', ['www']), second: serving('k8s', [], 'example.org') });
  const found = '3 names of 2 manifests, each in one';
  expect(await examineNames(api)).toEqual([{ name: 'DNS names', ok: true, found, for: 'all' }]);
});
