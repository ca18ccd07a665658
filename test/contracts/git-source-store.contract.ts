/** What every `GitSourceStore` promises. */
import { describe, expect, it } from 'vitest';
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import { GitSource } from '#domain/manifest/schema/git-source.ts';
import type { GitSourceStore } from '#functions/ports.ts';
import { noon } from './builders.ts';

const aSource = ({ namespace = 'team', name = 'clusters', version = 1, dueAt = noon } = {}): GitSourceRecord => ({
  namespace,
  name,
  version,
  dueAt,
  generation: 1,
  at: noon,
  submitted: {},
  document: GitSource.parse({
    apiVersion: 'kubeloom.dev/v1',
    kind: 'GitSource',
    metadata: { namespace, name },
    spec: { url: 'git.example/a/b', ref: 'main' },
  }),
  maker: { kind: 'token', name: 'ann', claims: { sub: ['ann'] } },
  status: { state: 'Pending', faults: [], manifests: [] },
});

export function gitSourceStoreContract(name: string, make: () => GitSourceStore): void {
  describe(`GitSourceStore: ${name}`, () => {
    it('a GitSource is returned as it was stored, an unknown one is undefined, and a removed one is gone', async () => {
      const store = make();
      await store.put(aSource());
      expect(await store.get(aSource())).toEqual(aSource());
      expect(await store.get(aSource({ name: 'other' }))).toBeUndefined();
      await store.remove(aSource());
      await store.remove(aSource());
      expect(await store.get(aSource())).toBeUndefined();
    });

    it('one of many writers of the same version of a GitSource succeeds', async () => {
      const store = make();
      await store.put(aSource());
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.put(aSource({ version: 2 }))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const version of [1, 2, 4]) {
        await expect(store.put(aSource({ version }))).rejects.toMatchObject({ name: 'VersionConflict' });
      }
    });

    it('the GitSources of a namespace, or all, are listed by name, and those that are due by their time', async () => {
      const store = make();
      const later = (minutes: number) => new Date(Date.parse(noon) + minutes * 60_000).toISOString();
      await store.put(aSource({ name: 'b', dueAt: later(2) }));
      await store.put(aSource({ name: 'a', dueAt: later(1) }));
      await store.put(aSource({ namespace: 'team2', name: 'c', dueAt: later(3) }));
      const names = (found: readonly GitSourceRecord[]) => found.map((one) => one.name);
      expect(names(await store.list('team'))).toEqual(['a', 'b']);
      expect(names(await store.list())).toEqual(['a', 'b', 'c']);
      expect(names(await store.due(later(2), 10))).toEqual(['a', 'b']);
      expect(names(await store.due(later(5), 2))).toEqual(['a', 'b']);
      await store.put(aSource({ name: 'a', version: 2, dueAt: later(9) }));
      expect(names(await store.due(later(5), 10))).toEqual(['b', 'c']);
    });
  });
}
