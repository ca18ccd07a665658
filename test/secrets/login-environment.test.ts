/** Credentials that a type logs in with by its environment: from the Secret, or empty, and never out of the runner's own. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ProviderTemplate } from '#rendering/provider-template.ts';
import { emptyRoot } from '#rendering/root-module.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageLog } from '#runner/stage-log.ts';
import { logIn, secretEnvironment } from '#runner/terraform/templates/provider-login.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

const file = new URL('../../templates/terraform/local/provider.json', import.meta.url);
const local = ProviderTemplate.parse(JSON.parse(await readFile(file, 'utf8')));
const provider = { name: 'rack', type: 'local', templates: 'builtin@1' };
const withSecret = { ...provider, secret: 'team/rack' };

async function around(fields: Readonly<Record<string, string>>) {
  const ports = fakeDeps();
  await ports.secrets.put('user/team/rack', fields);
  const mask = new SecretMask();
  return { ports, mask, log: new StageLog({ artifacts: ports.artifacts, key: 'log', mask, clock: ports.clock }) };
}

it('login variables are given to Terraform and to hooks alike, and are masked', async () => {
  const context = await around({ account: 'account-east', password: 'word-of-east' });
  const expected = { KUBELOOM_HOST_ACCOUNT: 'account-east', KUBELOOM_HOST_PASSWORD: 'word-of-east' };
  const login = await logIn(context, withSecret, local, { directory: '/nowhere' });
  expect(login.environment).toEqual(expected);
  expect(await secretEnvironment(context, withSecret, local)).toEqual(expected);
  expect(context.mask.hide('it was word-of-east')).toBe('it was ***');
});

it('login variables are in no configuration of Terraform', async () => {
  const context = await around({ account: 'account-east', password: 'word-of-east' });
  const { template } = await logIn(context, withSecret, local, { directory: '/nowhere' });
  const root = JSON.stringify(emptyRoot(template, ['here'], { bucket: 'b', region: 'r', key: 'k' }));
  expect(root).not.toMatch(/account-east|password|secret_|word-of-east/);
});

it('login variables are empty without a Secret, whatever the runner has', async () => {
  const context = await around({});
  const noLogin = { KUBELOOM_HOST_ACCOUNT: '', KUBELOOM_HOST_PASSWORD: '' };
  expect((await logIn(context, provider, local, { directory: '/nowhere' })).environment).toEqual(noLogin);
});

it('a missing login field is reported by name', async () => {
  const context = await around({ account: 'account-east' });
  await expect(secretEnvironment(context, withSecret, local)).rejects.toThrow('has no field password');
  const lenient = { ...local, optionalFields: ['password'] };
  expect(await secretEnvironment(context, withSecret, lenient)).toMatchObject({ KUBELOOM_HOST_PASSWORD: '' });
});

it('the Secret of a type from elsewhere is judged by its schema, and no value is in the message', async () => {
  const secret = {
    type: 'object',
    additionalProperties: false,
    required: ['token', 'team'],
    properties: { token: { type: 'string', pattern: '^acme_[0-9]{4}$' }, team: { type: 'string' } },
  };
  const acme = { ...withSecret, type: 'acme', templates: `git:git.example/acme@${'a'.repeat(40)}#.` };
  const template = ProviderTemplate.parse({ secret, secretEnvironment: { ACME_TOKEN: 'token' } });
  const faulty = secretEnvironment(await around({ token: 'planted-word', colour: 'x' }), acme, template);
  const failure = await faulty.catch((error: Error) => error);
  expect(failure).toMatchObject({ error: { class: 'credentials', code: 'SecretFieldsFaulty' } });
  expect(String(failure)).toMatch(/token does not fit: .*; team is missing; colour is not a property of the type/);
  expect(String(failure)).not.toContain('planted-word');
  const right = await around({ token: 'acme_1234', team: 'shop' });
  expect(await secretEnvironment(right, acme, template)).toEqual({ ACME_TOKEN: 'acme_1234' });
});
