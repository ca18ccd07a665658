/** SSM keeps values up to 4 KB for nothing, larger ones as advanced parameters, and makes no standard one of those again. */
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SsmSecrets } from '#adapters/ssm-secrets.ts';

const mockSsm = () => mockClient(SSMClient);
const awsError = (name: string, message: string) => Object.assign(new Error(message), { name, $metadata: {} });
let ssm: ReturnType<typeof mockSsm>;
beforeEach(() => {
  ssm = mockSsm();
});
afterEach(() => ssm.restore());

const tiersOf = () => ssm.commandCalls(PutParameterCommand).map(({ args }) => args[0].input.Tier);

it('a small value is a standard parameter, a large one an advanced one', async () => {
  const secrets = new SsmSecrets(new SSMClient({ region: 'eu-central-1' }), '/kubeloom');
  await secrets.put('user/a/b', { token: 'x' });
  await secrets.put('user/a/b', { token: 'x'.repeat(5000) });
  expect(tiersOf()).toEqual(['Standard', 'Advanced']);
});

it('a small value that replaces a large one stays an advanced parameter', async () => {
  const why =
    'This parameter uses the advanced-parameter tier. You cannot downgrade it to the standard-parameter tier.';
  ssm.on(PutParameterCommand, { Tier: 'Standard' }).rejects(awsError('ValidationException', why));
  ssm.on(PutParameterCommand, { Tier: 'Advanced' }).resolves({});
  await new SsmSecrets(new SSMClient({ region: 'eu-central-1' }), '/kubeloom').put('user/a/b', { token: 'x' });
  expect(tiersOf()).toEqual(['Standard', 'Advanced']);
});

it('any other refusal of SSM is reported unchanged', async () => {
  ssm.on(PutParameterCommand).rejects(awsError('ValidationException', 'the value nests another parameter'));
  const secrets = new SsmSecrets(new SSMClient({ region: 'eu-central-1' }), '/kubeloom');
  await expect(secrets.put('user/a/b', { token: '{{ssm:x}}' })).rejects.toThrow(/nests another/);
  expect(tiersOf()).toEqual(['Standard']);
});
