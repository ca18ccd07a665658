/** What every `Artifacts`, `SecretStore` and `TemplateReferenceStore` promises. */
import { describe, expect, it } from 'vitest';
import type { Artifacts, SecretStore, TemplateReferenceStore } from '#functions/ports.ts';

export function artifactsContract(name: string, make: () => Artifacts): void {
  describe(`Artifacts: ${name}`, () => {
    it('texts and bytes are returned as they were stored, and unknown keys are undefined', async () => {
      const store = make();
      await store.putText('runs/a/log.txt', 'Grüße\n');
      await store.putBytes('runs/a/plan', new Uint8Array([0, 255, 10]));
      expect(await store.getText('runs/a/log.txt')).toBe('Grüße\n');
      expect(await store.getBytes('runs/a/plan')).toEqual(new Uint8Array([0, 255, 10]));
      expect(await store.getText('runs/a/other')).toBeUndefined();
      expect(await store.getBytes('runs/a/other')).toBeUndefined();
    });

    it('a text that is created replaces none, and of several at once one is kept', async () => {
      const store = make();
      await store.putText('checks/a', 'there');
      expect(await store.createText('checks/a', 'other')).toBe(false);
      expect(await store.getText('checks/a')).toBe('there');
      const names = ['one', 'two', 'three'];
      const created = await Promise.all(names.map((name) => store.createText('checks/b', name)));
      expect(created.filter(Boolean)).toHaveLength(1);
      expect(await store.getText('checks/b')).toBe(names[created.indexOf(true)]);
    });

    it('a range of bytes is returned, shorter at the end and empty after it', async () => {
      const store = make();
      await store.putBytes('runs/a/plan', new Uint8Array([1, 2, 3, 4, 5]));
      await store.putText('runs/a/empty', '');
      const piece = async (from: number, length: number, key = 'runs/a/plan') => [
        ...((await store.getBytes(key, { from, length })) ?? []),
      ];
      expect(await piece(1, 3)).toEqual([2, 3, 4]);
      expect(await piece(3, 10)).toEqual([4, 5]);
      expect(await piece(5, 10)).toEqual([]);
      expect(await piece(500, 1)).toEqual([]);
      expect(await piece(0, 10, 'runs/a/empty')).toEqual([]);
      expect(await store.getBytes('runs/a/other', { from: 0, length: 1 })).toBeUndefined();
    });

    it('the keys below a prefix are listed with their sizes', async () => {
      const store = make();
      await store.putText('p/b', '12');
      await store.putText('p/a', '1');
      await store.putText('q/c', '123');
      expect(await store.list('p/')).toEqual([
        { key: 'p/a', size: 1 },
        { key: 'p/b', size: 2 },
      ]);
    });

    it('a key, or all below a prefix, is removed; removing it again is no error', async () => {
      const store = make();
      for (const key of ['p/a', 'p/b', 'p/c', 'q/d']) await store.putText(key, 'x');
      await store.remove('p/a');
      await store.remove('p/a');
      await store.removeAll('p/');
      await store.removeAll('p/');
      expect((await store.list('')).map(({ key }) => key)).toEqual(['q/d']);
    });
  });
}

export function secretStoreContract(name: string, make: () => SecretStore): void {
  describe(`SecretStore: ${name}`, () => {
    it('a secret has the fields that were stored last', async () => {
      const store = make();
      await store.put('user/team/hetzner', { credentials: 'old' });
      await store.put('user/team/hetzner', { credentials: 'n€w', extra: '' });
      expect(await store.get('user/team/hetzner')).toEqual({ credentials: 'n€w', extra: '' });
      expect(await store.exists('user/team/hetzner')).toBe(true);
    });

    it('a secret that is created does not replace one', async () => {
      const secrets = make();
      expect(await secrets.create('ssh/team/pool', { privatekey: 'first' })).toBe(true);
      expect(await secrets.create('ssh/team/pool', { privatekey: 'second' })).toBe(false);
      expect(await secrets.get('ssh/team/pool')).toEqual({ privatekey: 'first' });
    });

    it('a secret of more than 4 KB is stored, as cloud keys are that large', async () => {
      const store = make();
      await store.put('user/team/gcp', { credentials: 'k'.repeat(5000) });
      expect((await store.get('user/team/gcp'))?.credentials).toHaveLength(5000);
    });

    it('a secret that was never stored does not exist, and removing it is no error', async () => {
      const store = make();
      expect(await store.exists('user/team/none')).toBe(false);
      expect(await store.get('user/team/none')).toBeUndefined();
      await store.remove('user/team/none');
    });

    it('the paths below a prefix are listed, also when there are many', async () => {
      const store = make();
      const paths = Array.from({ length: 12 }, (_, n) => `user/team/s${String(n).padStart(2, '0')}`);
      for (const path of [...paths, 'user/team2/x', 'ssh/team/y']) await store.put(path, { a: 'b' });
      expect(await store.list('user/team')).toEqual(paths);
      await store.remove('user/team/s00');
      expect(await store.list('user/team')).toEqual(paths.slice(1));
    });
  });
}

export function templateReferenceStoreContract(name: string, make: () => TemplateReferenceStore): void {
  describe(`TemplateReferenceStore: ${name}`, () => {
    it('documents of a namespace are stored, returned, listed and removed', async () => {
      const store = make();
      await store.put('team', 'b', { spec: { commit: 'abc' } });
      await store.put('team', 'a', { spec: {} });
      await store.put('team2', 'c', {});
      expect(await store.get('team', 'b')).toEqual({ spec: { commit: 'abc' } });
      expect(await store.list('team')).toEqual(['a', 'b']);
      await store.remove('team', 'b');
      await store.remove('team', 'b');
      expect(await store.get('team', 'b')).toBeUndefined();
      expect(await store.list('team')).toEqual(['a']);
    });
  });
}
