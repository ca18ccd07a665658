/** Which manifest a person means with a name, and the error when no manifest has the name. */
import { describe, expect, it } from 'vitest';
import type { CliClient } from '#cli/connection/api-client.ts';
import { ApiProblem } from '#cli/connection/api-problem.ts';
import { manifestNamed, ofManifest } from '#cli/find/find-manifest.ts';
import type { ManifestSummary } from '#contracts/api-bodies.ts';

const summary = (namespace: string, name: string, clusters: readonly string[]): ManifestSummary => ({
  namespace,
  name,
  generation: 1,
  attempt: 1,
  status: 'Done',
  deleting: false,
  paused: false,
  runId: 'r',
  createdAt: '',
  updatedAt: '',
  progress: null,
  clusters: clusters.map((each) => ({ cluster: `${each}-1a2b3c4`, name: each, status: 'Converged', nodes: 1 })),
});

const all = [
  summary('default', 'shop', ['front', 'twice']),
  summary('default', 'bank', ['vault', 'twice', 'shop']),
  summary('team', 'lab', ['test']),
];
const found = (name: string, namespace = 'default') => manifestNamed(all, { namespace, name }).name;

describe('the manifest of a name', () => {
  it('a name is the manifest of that name even if a cluster has the same name', () => {
    expect(found('shop')).toBe('shop');
  });

  it('the name or id of a cluster finds the manifest it belongs to', () => {
    expect(found('vault')).toBe('bank');
    expect(found('front-1a2b3c4')).toBe('shop');
    expect(found('test', 'team')).toBe('lab');
  });

  it.each([
    ['twice', 'several manifests have a cluster "twice": shop, bank; name one of them'],
    ['shpo', 'there is no manifest or cluster "shpo" in namespace "default"; did you mean shop?'],
    ['test', 'there is no manifest or cluster "test" in namespace "default"; did you mean team/test?'],
    [
      'nodes',
      'there is no manifest or cluster "nodes" in namespace "default"; there is shop, front, twice, bank, vault',
    ],
  ])('an unclear name is answered with what could be meant: %s', (name, message) => {
    expect(() => found(name)).toThrow(message);
  });

  it('a name in a namespace without manifests is answered with the command that lists them', () => {
    expect(() => found('x', 'empty')).toThrow('`kubeloom get` lists all');
  });
});

describe('asking for a manifest by a name', () => {
  const missing = new ApiProblem({
    type: 'about:blank',
    title: '',
    status: 404,
    detail: 'run "r" is not there',
    instance: '',
    code: 'NotFound',
  });
  const lister = (listManifests: CliClient['listManifests']) => ({ listManifests });
  const ask = async ({ name }: { readonly name: string }) => {
    if (name === 'bank') return 'the bank';
    throw missing;
  };

  it('a request by the name of a cluster is repeated with its manifest', async () => {
    expect(
      await ofManifest(
        lister(async () => ({ items: all })),
        { name: 'vault' },
        ask,
      ),
    ).toBe('the bank');
  });

  it('a missing part of a manifest that exists is reported in the words of the API', async () => {
    const asked = ofManifest(
      lister(async () => ({ items: all })),
      { name: 'shop' },
      ask,
    );
    await expect(asked).rejects.toBe(missing);
  });

  it('the answer of the API is passed on when the manifests cannot be listed', async () => {
    const asked = ofManifest(
      lister(() => Promise.reject(new Error('403'))),
      { name: 'vault' },
      ask,
    );
    await expect(asked).rejects.toBe(missing);
  });
});
