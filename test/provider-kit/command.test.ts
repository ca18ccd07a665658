/** `kubeloom provider …` as people use it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '#cli/exit-codes.ts';
import { providerTypeNames } from '#domain/provider-types.ts';
import { edited, goodType, removeType, writeType } from './type-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function kubeloom(...args: readonly string[]): Promise<Ended> {
  const command = [fileURLToPath(new URL('../../cli/main.ts', import.meta.url)), ...args];
  const ended = promisify(execFile)(process.execPath, command, { cwd: root, env: { ...process.env, NO_COLOR: '1' } });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

describe('kubeloom provider list', () => {
  it('kubeloom provider list shows every type with the fields of its Secret', async () => {
    const { code, stdout } = await kubeloom('provider', 'list');

    expect(code).toBe(exitCodes.ok);
    for (const type of providerTypeNames) expect(stdout).toMatch(new RegExp(`^${type} `, 'm'));
    expect(stdout).toMatch(/^cloudflare +Cloudflare +- +yes +- +- +apitoken, accountid, \[loadbalancing\]$/m);
    expect(stdout).toMatch(/^aws .* accesskey, secretkey or rolearn, \[externalid\]$/m);
  });

  it('kubeloom provider list --json has no functions of the table', async () => {
    const { stdout } = await kubeloom('provider', 'list', '--json');
    const types = JSON.parse(stdout) as { type: string; secrets: { name: string; format: string }[][] }[];

    expect(types.map(({ type }) => type)).toEqual(providerTypeNames);
    expect(types.find(({ type }) => type === 'digitalocean')?.secrets).toEqual([
      [{ name: 'token', required: true, format: expect.stringContaining('dop_v1_') }],
    ]);
  });
});

describe('kubeloom provider test', () => {
  it('kubeloom provider test says that a type keeps the contract when it does', async () => {
    const { code, stdout } = await kubeloom('provider', 'test', 'templates/terraform/digitalocean');

    expect(code).toBe(exitCodes.ok);
    expect(stdout.match(/^ {2}ok /gm)).toHaveLength(7);
    expect(stdout).toMatch(
      /^provider type digitalocean: network, nodepool, dns; plugin digitalocean\/digitalocean 2\./m,
    );
    expect(stdout).toMatch(/the contract is kept, as far as the files show/);
  });

  it('kubeloom provider test names file, fault and fix, and exits with the code of invalid input', async () => {
    const directory = await writeType(edited('nodepool/main.tf', 'for_each  = var.nodes', 'count = length(var.nodes)'));
    const { code, stdout } = await kubeloom('provider', 'test', directory);
    const asJson = await kubeloom('provider', 'test', directory, '--json');
    await removeType(directory);

    expect(code).toBe(exitCodes.invalid);
    expect(stdout).toMatch(/nodepool: acme_server\.node: it is counted.*\n +→ for_each = var\.nodes/);
    expect(stdout).toMatch(/1 to fix/);
    expect(asJson.code).toBe(exitCodes.invalid);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      type: 'acme',
      ok: false,
      findings: [{ check: 'nodes' }],
      trials: [],
    });
  });

  it('kubeloom provider test says of a missing module that it was not checked, instead of ok', async () => {
    const directory = await writeType(Object.fromEntries(Object.keys(goodType).map((file) => [file, null])));
    const { code, stdout } = await kubeloom('provider', 'test', directory);
    await removeType(directory);

    expect(code).toBe(exitCodes.invalid);
    expect(stdout.match(/^ {2}fault /gm)).toHaveLength(2);
    expect(stdout.match(/^ {2}- {8}\S/gm)).toHaveLength(5);
    expect(stdout).not.toMatch(/^ {2}ok /m);
  });

  it('kubeloom provider test refuses a directory that does not exist', async () => {
    const { code, stderr } = await kubeloom('provider', 'test', 'templates/terraform/nowhere');

    expect(code).toBe(exitCodes.notFound);
    expect(stderr).toMatch(/templates\/terraform\/nowhere is not a directory/);
  });
});
