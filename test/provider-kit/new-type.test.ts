/** `kubeloom provider init`: what it writes keeps the contract, and is known as a type from elsewhere. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineType } from '#cli/provider-kit/examine-type.ts';
import { tryWithTerraform } from '#cli/provider-kit/try-with-terraform.ts';
import { readType } from '#cli/provider-kit/type-source.ts';
import { initType } from '#cli/scaffold/new-type.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kubeloom-type-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const findings = async (directory: string) => examineType(await readType(directory));

describe('the folder of a new type', () => {
  it('a new type passes the kit, without a warning', async () => {
    const directory = join(root, 'acme');
    expect(await initType(directory)).toContain('provider.json');
    expect(await findings(directory)).toEqual([]);
  });

  it('roots of a new type are valid for Terraform', async () => {
    const directory = join(root, 'acme');
    await initType(directory);
    const source = await readType(directory);
    const trials = await tryWithTerraform(source, examineType(source));
    expect(trials.map(({ outcome, details }) => [outcome, details])).toEqual(trials.map(() => ['passed', []]));
    expect(trials.length).toBeGreaterThan(0);
  });

  it('the kit finds a schema without its variable, and an invalid schema', async () => {
    const directory = join(root, 'acme');
    await initType(directory);
    const [description, variables] = [join(directory, 'provider.json'), join(directory, 'nodepool', 'variables.tf')];
    const given = JSON.parse(await readFile(description, 'utf8'));
    await writeFile(variables, (await readFile(variables, 'utf8')).replace('"properties"', '"others"'));
    expect((await findings(directory)).map(({ message }) => message)).toContain(
      'there is no variable properties, which pools fill as provider.json allows',
    );
    await writeFile(description, JSON.stringify({ ...given, properties: { type: 'colour' } }));
    expect((await findings(directory)).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^properties is not a JSON Schema that can be used/),
    );
  });

  it('a directory that is not empty, and a name that no type can have, are refused', async () => {
    await initType(join(root, 'acme'));
    await expect(initType(join(root, 'acme'))).rejects.toThrow(/is not empty/);
    await expect(initType(join(root, 'aws'))).rejects.toThrow(/comes with Kubeloom/);
    await expect(initType(join(root, 'A.B'))).rejects.toThrow(/is not a name of a provider type/);
  });
});
