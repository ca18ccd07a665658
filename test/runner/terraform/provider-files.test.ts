/** Files of a provider type that a user wrote: their faults are reported as faults of the templates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noProviderTemplate } from '#rendering/provider-template.ts';
import { runnerConfig } from '#runner/runner-config.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { type HookInput, hasHook, providerFiles, runHook } from '#runner/terraform/templates/provider-files.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

let world: StageWorld;
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const provider = { name: 'acme-1', type: 'acme', templates: 'builtin@1' };
const input: HookInput = {
  installation: 'i',
  cluster: 'c',
  provider: 'acme-1',
  kind: 'machines',
  destroy: false,
  resources: [],
};

async function failureOf(work: Promise<unknown>) {
  const thrown: unknown = await work.catch((error: unknown) => error);
  if (!(thrown instanceof StageFailure)) throw new Error(`no failure of the stage: ${thrown}`);
  return thrown.error;
}

function filesWith(description: string) {
  mkdirSync(join(world.templates, 'terraform', 'acme'), { recursive: true });
  writeFileSync(join(world.templates, 'terraform', 'acme', 'provider.json'), description);
  return providerFiles(
    {
      ports: world.ports,
      mask: new SecretMask(),
      run: () => Promise.reject(new Error('nothing is run')),
      runner: runnerConfig(process.env),
      workDirectory: world.directory,
      templatesDirectory: world.templates,
      document: aDocument([]),
    },
    provider,
  );
}

describe('provider.json', () => {
  it.each([
    ['is not JSON', '{ "provider": ', /provider\.json .*acme-1.*not JSON/],
    ['has an unknown field', '{ "fireball": "cloud" }', /provider\.json .*acme-1.*fireball/],
    ['says too little', '{ "provider": { "name": "acme" } }', /provider\.source.*provider\.version/],
  ])('a provider.json that %s is a fault of the templates', async (_what, text, says) => {
    const failure = await failureOf(filesWith(text));
    expect(failure).toMatchObject({ class: 'user', code: 'TemplatesFaulty', resource: 'acme-1' });
    expect(failure.message).toMatch(says);
  });
});

describe('hooks', () => {
  const files = { directory: '/nowhere', template: noProviderTemplate };

  it.each(['all is well', '{"replace": "everything"}', ''])(
    'a hook that answers %j is reported as invalid',
    async (stdout) => {
      const run = async () => ({ code: 0, stdout, stderr: '' });
      const failure = await failureOf(runHook({ run }, files, 'inspect', input));
      expect(failure).toMatchObject({ class: 'bug', code: 'ProviderHookFailed', resource: 'acme-1' });
      expect(failure.message).toMatch(/inspect of provider acme-1 .*invalid JSON/);
    },
  );

  it.each(['orphan', 'let-go'])(
    'the orphan hook may be the file %s.ts (the second is its name in 0.1.0)',
    async (name) => {
      const directory = join(world.templates, 'terraform', 'acme');
      mkdirSync(directory, { recursive: true });
      const own = { directory, template: noProviderTemplate };
      expect(await hasHook(own, 'orphan')).toBe(false);
      writeFileSync(join(directory, `${name}.ts`), '');
      expect(await hasHook(own, 'orphan')).toBe(true);
      const started: (readonly string[])[] = [];
      const run = async ({ args }: { readonly args: readonly string[] }) => {
        started.push(args);
        return { code: 0, stdout: '', stderr: '' };
      };
      await runHook({ run }, own, 'orphan', input);
      expect(started).toEqual([[join(directory, `${name}.ts`)]]);
    },
  );

  it('a hook whose answer is not used may print anything', async () => {
    const run = async () => ({ code: 0, stdout: 'removed everything', stderr: '' });
    expect(await runHook({ run }, files, 'after-destroy', input)).toEqual({ replace: [], removed: [], items: [] });
  });
});
