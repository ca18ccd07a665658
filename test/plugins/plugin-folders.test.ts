/** Folders of provider types from elsewhere in a runner: whole or absent, and made once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { templatesMark } from '#rendering/terraform-names.ts';
import { keepCopy, keptCopyKey, pluginFolder } from '#runner/plugins/plugin-folder.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { providerFiles } from '#runner/terraform/provider-files.ts';
import { type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

const plugin = { name: 'acme-1', type: 'acme', templates: `git:git.example.com/acme/types@${'a'.repeat(40)}#.` };

let world: StageWorld;
let context: Parameters<typeof providerFiles>[0];
beforeEach(() => {
  world = stageWorld();
  const run = () => Promise.reject(new Error('nothing is run'));
  context = {
    ...{ ports: world.ports, mask: new SecretMask(), run },
    ...{ workDirectory: world.directory, templatesDirectory: world.templates },
  };
});
afterEach(() => world.close());

const keep = (files: Readonly<Record<string, string>>): Promise<unknown> => {
  const content = Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString('base64')]);
  const copy = { schema: 1, files: Object.fromEntries(content) };
  return world.ports.artifacts.putText(keptCopyKey(plugin), JSON.stringify(copy));
};

describe('the kept copy', () => {
  it('its folder appears with all of its files', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `file-${index}`);
    await keep(Object.fromEntries(names.map((name) => [name, name])));
    const seen = new Set<number>();
    let isDone = false;
    const made = pluginFolder(context, plugin).finally(() => {
      isDone = true;
    });
    const folder = join(world.directory, 'plugins', `acme-${templatesMark(plugin.templates)}`);
    while (!isDone) {
      if (existsSync(folder)) seen.add(readdirSync(folder).length);
      await setImmediate();
    }
    expect(await made).toBe(folder);
    expect([...seen, readdirSync(folder).length].every((count) => count === names.length)).toBe(true);
  });

  it('it is read once for all that want it at the same time', async () => {
    await keep({ 'provider.json': '{}' });
    const read = world.ports.artifacts.getText.bind(world.ports.artifacts);
    let reads = 0;
    world.ports.artifacts.getText = (key) => {
      reads += 1;
      return read(key);
    };
    const folders = await Promise.all([1, 2, 3].map(() => pluginFolder(context, plugin)));
    expect([new Set(folders).size, reads]).toEqual([1, 1]);
  });

  it('programs of a folder can be run from its copy, too', async () => {
    const folder = join(world.directory, 'acme');
    mkdirSync(join(folder, 'nodepool'), { recursive: true });
    writeFileSync(join(folder, 'nodepool', 'wait.sh'), '#!/bin/sh', { mode: 0o755 });
    writeFileSync(join(folder, 'nodepool', 'main.tf'), '');
    await keepCopy(context, plugin, folder);
    const copy = await pluginFolder(context, plugin);
    const isProgram = (name: string) => (statSync(join(copy, 'nodepool', name)).mode & 0o100) !== 0;
    expect(['wait.sh', 'main.tf'].map(isProgram)).toEqual([true, false]);
  });

  it('one that is kept stays as it is', async () => {
    await keep({ 'provider.json': '{"title":"first"}' });
    const folder = join(world.directory, 'acme');
    mkdirSync(folder);
    writeFileSync(join(folder, 'provider.json'), '{"title":"second"}');
    await keepCopy(context, plugin, folder);
    expect(readFileSync(join(await pluginFolder(context, plugin), 'provider.json'), 'utf8')).toContain('first');
  });

  it('one without a description is a fault, for nothing else says what the type needs', async () => {
    await keep({ 'nodepool/main.tf': '' });
    await expect(providerFiles(context, plugin)).rejects.toMatchObject({
      error: { code: 'TemplatesFaulty', message: expect.stringContaining('no provider.json') },
    });
  });
});
