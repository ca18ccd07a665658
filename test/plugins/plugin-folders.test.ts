/** Folders of provider types from elsewhere in a runner: whole or absent, and made once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pluginKeys } from '#contracts/job.ts';
import { withCopy } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { checksumOfCopy, copyText } from '#runner/terraform/templates/kept-copy.ts';
import { keepPlugin, pluginFolder } from '#runner/terraform/templates/plugin-folder.ts';
import { providerFiles } from '#runner/terraform/templates/provider-files.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

const version = `git:git.example.com/acme/types@${'a'.repeat(40)}#.`;
const manifest = { namespace: 'team', manifest: 'shop' };

let world: StageWorld;
let context: Parameters<typeof providerFiles>[0];
beforeEach(() => {
  world = stageWorld();
  const run = () => Promise.reject(new Error('nothing is run'));
  context = {
    ports: world.ports,
    mask: new SecretMask(),
    run,
    runner: runnerConfig(process.env),
    workDirectory: world.directory,
    templatesDirectory: world.templates,
    document: aDocument([]),
  };
});
afterEach(() => world.close());

/** A copy of these files, and the type that was accepted with it. */
function copyOf(files: Readonly<Record<string, string>>) {
  const content = Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString('base64')]);
  const text = JSON.stringify({ schema: 1, files: Object.fromEntries(content) });
  const plugin = { name: 'acme-1', type: 'acme', templates: withCopy(version, checksumOfCopy(text)) };
  const key = pluginKeys.kept(manifest, checksumOfCopy(text));
  return { text, plugin, key };
}
async function keep(files: Readonly<Record<string, string>>) {
  const copy = copyOf(files);
  await world.ports.artifacts.putText(copy.key, copy.text);
  return copy.plugin;
}

describe('the kept copy', () => {
  it('the folder of a plugin appears with all of its files', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `file-${index}`);
    const plugin = await keep(Object.fromEntries(names.map((name) => [name, name])));
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

  it('the folder of a plugin is fetched once for concurrent readers', async () => {
    const plugin = await keep({ 'provider.json': '{}' });
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
    const text = await copyText(folder);
    const plugin = { name: 'acme-1', type: 'acme', templates: withCopy(version, checksumOfCopy(text)) };
    await world.ports.artifacts.putText(pluginKeys.kept(manifest, checksumOfCopy(text)), text);
    const copy = await pluginFolder(context, plugin);
    const isProgram = (name: string) => (statSync(join(copy, 'nodepool', name)).mode & 0o100) !== 0;
    expect(['wait.sh', 'main.tf'].map(isProgram)).toEqual([true, false]);
  });

  it('a plugin folder that differs from the accepted one is not used', async () => {
    const { plugin, key } = copyOf({ 'provider.json': '{"title":"first"}' });
    await world.ports.artifacts.putText(key, copyOf({ 'provider.json': '{"title":"second"}' }).text);
    // Nothing is run here: it would be fetched again.
    await expect(pluginFolder(context, plugin)).rejects.toThrow();
  });

  it('the copy of an accepted document becomes that of its manifest with the first change of machines', async () => {
    const { plugin, key, text } = copyOf({ 'provider.json': '{}' });
    await world.ports.artifacts.putText(pluginKeys.accepted(checksumOfCopy(text)), text);
    await Promise.all([keepPlugin(context, plugin), keepPlugin(context, { ...plugin, name: 'acme-2' })]);
    expect(await world.ports.artifacts.getText(key)).toBe(text);
    expect(readFileSync(join(await pluginFolder(context, plugin), 'provider.json'), 'utf8')).toBe('{}');
  });

  it('one without a description is a fault, for nothing else says what the type needs', async () => {
    const plugin = await keep({ 'nodepool/main.tf': '' });
    await expect(providerFiles(context, plugin)).rejects.toMatchObject({
      error: { code: 'TemplatesFaulty', message: expect.stringContaining('no provider.json') },
    });
  });
});
