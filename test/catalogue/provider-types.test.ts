/** `kubeloom provider types`: what a cloud sells, from the catalogue and the price lists. */
import { describe, expect, it } from 'vitest';
import { kubeloom } from '../cli/kubeloom.ts';

describe('kubeloom provider types', () => {
  it('the server types of a region are listed with processors, memory, price and the source of each fact', async () => {
    const { stdout, code } = await kubeloom(['provider', 'types', 'hetzner', '--region', 'fsn1']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cpx22 +2 +4 +x86 .*€|^cpx22 +2 +4 +x86 .*EUR/m);
    expect(stdout).toMatch(/^cax11 +2 +4 +arm/m);
    expect(stdout).not.toContain('zones of');
    expect(stdout).toContain('regions: ash, fsn1, hel1, hil, nbg1, sin');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/as of 2026-\d\d-\d\d: server types, as in .*eu-cloud-prices/);
    const [table = ''] = stdout.split('\n\n');
    expect(table.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('the zones of a region are listed where they are known, also that it has none', async () => {
    const zones = async (type: string, region: string) => {
      const { stdout } = await kubeloom(['provider', 'types', type, '--region', region]);
      return stdout.split('\n').find((line) => line.startsWith('zones of'));
    };
    expect(await zones('gcp', 'europe-west1')).toBe(
      'zones of europe-west1: europe-west1-b, europe-west1-c, europe-west1-d',
    );
    expect(await zones('azure', 'westeurope')).toBe('zones of westeurope: 1, 2, 3');
    expect(await zones('azure', 'westus')).toBe('zones of westus: none');
  });

  it('--json has every fact of a type, and null where nothing is known', async () => {
    const { stdout } = await kubeloom(['provider', 'types', 'gcp', '--region', 'africa-south1', '--json']);
    const { region, regions, read, serverTypes } = JSON.parse(stdout);
    expect([region, regions.length, read.regions.date]).toEqual(['africa-south1', 43, '2026-08-06']);
    const names = serverTypes.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('a2-ultragpu-1g');
    expect(serverTypes.find(({ name }: { name: string }) => name === 'n2-standard-8')).toEqual({
      name: 'n2-standard-8',
      cpus: 8,
      memory: 32,
      architecture: 'x86',
      gpus: 0,
      spot: true,
      dataDisks: true,
      price: null,
    });
  });

  it.each([
    [['hetzer'], 'did you mean hetzner?'],
    [['hetzner', '--region', 'fsn9'], 'did you mean fsn1?'],
    [['openstack'], 'there is no list of "openstack"'],
  ])('%j is answered by what was meant, or what there is', async (words, text) => {
    const { code, stderr } = await kubeloom(['provider', 'types', ...words]);
    expect([code, stderr]).toEqual([4, expect.stringContaining(text)]);
  });
});
