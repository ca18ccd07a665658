/** Parameters of the local SSM, through the SDK. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  GetParameterCommand,
  GetParametersByPathCommand,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../src/logger.ts';
import { openParameterStore } from '../src/ssm/parameter-store.ts';
import { ssmListener } from '../src/ssm/ssm-listener.ts';
import { at, listening, refusal, temporaryDirectory } from './clients.ts';

async function startSsm(given?: string): Promise<{ ssm: SSMClient; directory: string }> {
  const directory = given ?? (await temporaryDirectory());
  const { url } = await listening(ssmListener(await openParameterStore(directory), silentLogger));
  return { ssm: new SSMClient(at(url)), directory };
}

const put = (ssm: SSMClient, Name: string, Value: string, more: object = {}) =>
  ssm.send(new PutParameterCommand({ Name, Value, Type: 'SecureString', ...more }));
const value = async (ssm: SSMClient, Name: string, WithDecryption = true) =>
  (await ssm.send(new GetParameterCommand({ Name, WithDecryption }))).Parameter?.Value;

describe('the local SSM', () => {
  it('a secret survives a restart, unreadable on disk', async () => {
    const { ssm, directory } = await startSsm();
    await put(ssm, '/shop/user/default/cloud', 'very secret');
    expect(await value(ssm, '/shop/user/default/cloud')).toBe('very secret');
    for (const file of await readdir(directory))
      expect((await readFile(join(directory, file))).includes('very secret')).toBe(false);
    expect((await stat(join(directory, 'key'))).mode & 0o777).toBe(0o600);
    const again = await startSsm(directory);
    expect(await value(again.ssm, '/shop/user/default/cloud')).toBe('very secret');
  });

  it('a secret is not returned in clear text without decryption', async () => {
    const { ssm } = await startSsm();
    await put(ssm, '/a', 'very secret');
    expect(await value(ssm, '/a', false)).not.toContain('very secret');
  });

  it('a parameter is replaced only on request, and its versions are counted', async () => {
    const { ssm } = await startSsm();
    await put(ssm, '/a', 'one');
    expect((await refusal(put(ssm, '/a', 'two'))).name).toBe('ParameterAlreadyExists');
    expect((await put(ssm, '/a', 'two', { Overwrite: true })).Version).toBe(2);
    expect(await value(ssm, '/a')).toBe('two');
  });

  it('the last of many concurrent writes wins', async () => {
    const { ssm, directory } = await startSsm();
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, n) => put(ssm, '/a', `value ${n}`, { Overwrite: true })),
    );
    expect(written.map(({ Version }) => Version).sort((one = 0, other = 0) => one - other)).toEqual([
      ...Array.from({ length: 10 }, (_, n) => n + 1),
    ]);
    const again = await startSsm(directory);
    expect(await value(again.ssm, '/a')).toBe(await value(ssm, '/a'));
  });

  it('parameters below a path are listed page by page', async () => {
    const { ssm } = await startSsm();
    for (const name of ['/p/a', '/p/b/c', '/p/d', '/pq', '/p/e']) await put(ssm, name, name);
    const first = await ssm.send(new GetParametersByPathCommand({ Path: '/p', Recursive: true, MaxResults: 3 }));
    const second = await ssm.send(
      new GetParametersByPathCommand({ Path: '/p', Recursive: true, MaxResults: 3, NextToken: first.NextToken }),
    );
    const names = [...(first.Parameters ?? []), ...(second.Parameters ?? [])].map(({ Name }) => Name);
    expect([names, second.NextToken]).toEqual([['/p/a', '/p/b/c', '/p/d', '/p/e'], undefined]);
    const flat = await ssm.send(new GetParametersByPathCommand({ Path: '/p' }));
    expect(flat.Parameters?.map(({ Name }) => Name)).toEqual(['/p/a', '/p/d', '/p/e']);
  });

  it('the local SSM refuses what AWS refuses: too large, badly named, missing, unknown operations', async () => {
    const { ssm } = await startSsm();
    expect((await refusal(put(ssm, '/a', 'x'.repeat(4097)))).name).toBe('ValidationException');
    expect((await refusal(put(ssm, '/a b', 'x'))).name).toBe('ValidationException');
    expect((await refusal(value(ssm, '/none'))).name).toBe('ParameterNotFound');
    expect((await refusal(ssm.send(new DeleteParameterCommand({ Name: '/none' })))).name).toBe('ParameterNotFound');
    expect((await refusal(ssm.send(new DescribeParametersCommand({})))).name).toBe('UnknownOperationException');
  });
});
