/** DNS names of manifests that a GitSource submits: one manifest of the installation has each. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { fromFolder, type SourceWorld, sourceWorld, statesOf } from './source-world.ts';

let server: GitServer;
let world: SourceWorld;

beforeEach(async () => {
  server = await startGitServer();
  world = sourceWorld(server, {}, fromFolder(server));
});
afterEach(async () => {
  trust();
  await server.close();
});

function serving(name: string, hostname: string) {
  const manifest = manifestOf([{ compute: { work: 1 }, balanced: true }]);
  const [balancer] = manifest.spec.loadBalancers.clusters;
  const dns = { ...balancer?.dns, dnsZone: 'example.com', hostname };
  const loadBalancers = { ...manifest.spec.loadBalancers, clusters: [{ ...balancer, dns }] };
  return { ...manifest, metadata: { name, namespace: 'team' }, spec: { ...manifest.spec, loadBalancers } };
}
const file = (name: string, hostname: string) => ({
  [`clusters/${name}.yaml`]: JSON.stringify(serving(name, hostname)),
});

const place = 'spec.loadBalancers.clusters[0].dns.hostname';

it('a manifest with a name of another one is refused with who has it, and holds its commit', async () => {
  expect(await world.call('PUT', '/v1/manifests/team/first', { body: serving('first', 'k8s') })).toMatchObject({
    status: 202,
  });
  server.commit({ ...file('a', 'shop'), ...file('b', 'K8S') });
  await world.put();
  const source = await world.settle();
  expect(statesOf(source)).toEqual({ a: 'held', b: 'refused' });
  expect(source.status.faults).toMatchObject([
    { file: 'clusters/b.yaml', path: place, reason: '"k8s.example.com" is a name of the manifest "team/first"' },
  ]);
  expect(await world.stored()).toEqual(['first']);
});

it('the first of two manifests of a commit that have one name is submitted, and the second is refused with the owner', async () => {
  server.commit({ ...file('a', 'shop'), ...file('b', 'Shop') });
  await world.put();
  const source = await world.settle();
  expect(statesOf(source)).toEqual({ a: 'applied', b: 'refused' });
  expect(source.status.faults).toMatchObject([
    { file: 'clusters/b.yaml', path: place, reason: '"shop.example.com" is a name of the manifest "team/a"' },
  ]);
  expect(await world.stored()).toEqual(['a']);
});
