/** Files of a provider type that somebody else wrote: what is wrong with them is told as theirs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noProviderTemplate } from '#rendering/provider-template.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { type HookInput, providerFiles, runHook } from '#runner/terraform/provider-files.ts';
import { type StageWorld, stageWorld } from './stage-world.ts';

let world: StageWorld;
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const provider = { name: 'acme-1', type: 'acme', templates: 'builtin@1' };
const input: HookInput = {
  ...{ installation: 'i', cluster: 'c', provider: 'acme-1', kind: 'machines', destroy: false, resources: [] },
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
      workDirectory: world.directory,
      templatesDirectory: world.templates,
    },
    provider,
  );
}

describe('provider.json', () => {
  it.each([
    ['is no JSON', '{ "provider": ', /provider\.json .*acme-1.*no JSON/],
    ['has words that nobody knows', '{ "fireball": "cloud" }', /provider\.json .*acme-1.*fireball/],
    ['says too little', '{ "provider": { "name": "acme" } }', /provider\.source.*provider\.version/],
  ])('that %s is a fault of the templates', async (_what, text, says) => {
    const failure = await failureOf(filesWith(text));
    expect(failure).toMatchObject({ class: 'user', code: 'TemplatesFaulty', resource: 'acme-1' });
    expect(failure.message).toMatch(says);
  });
});

describe('a hook', () => {
  const files = { directory: '/nowhere', template: noProviderTemplate };

  it.each(['all is well', '{"replace": "everything"}', ''])('that answers %j is told as what it is', async (stdout) => {
    const run = async () => ({ code: 0, stdout, stderr: '' });
    const failure = await failureOf(runHook({ run }, files, 'inspect', input));
    expect(failure).toMatchObject({ class: 'bug', code: 'ProviderHookFailed', resource: 'acme-1' });
    expect(failure.message).toMatch(/inspect of provider acme-1 .*answer/);
  });

  it('whose answer nobody reads may say what it likes', async () => {
    const run = async () => ({ code: 0, stdout: 'removed everything', stderr: '' });
    expect(await runHook({ run }, files, 'after-destroy', input)).toEqual({ replace: [], removed: [] });
  });
});
