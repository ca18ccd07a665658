/** Several sites on one machine: networks of their own, ways between them, and cuts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostWorkshop, isRoot } from './host-workshop.ts';

describe.runIf(isRoot)('sites', () => {
  const workshop = new HostWorkshop();
  const cluster = ['--installation', 'test', '--cluster', 'shop-abc1234'];
  beforeAll(async () => {
    await workshop.must(['site-up', ...workshop.site('east'), '--region', 'north']);
    await workshop.must(['site-up', ...workshop.site('west'), '--region', 'north']);
  });
  afterAll(async () => await workshop.close());

  test('six hosts come up at once, each with an address of its own', async () => {
    const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'];
    const outcomes = await Promise.all(names.map((name) => workshop.up(name.startsWith('a') ? 'east' : 'west', name)));
    expect(outcomes.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(names.map(() => '0 '));
    const hosts = await workshop.status();
    expect(hosts.map((host) => host.state)).toEqual(names.map(() => 'running'));
    expect(new Set(hosts.map((host) => host.address)).size).toBe(6);
  });

  test('sites have different networks, even if two state directories create them at the same time', async () => {
    const other = new HostWorkshop();
    const sites = ['one', 'two', 'three', 'four'].map((name) => other.site(name));
    await Promise.all(sites.map((site) => other.must(['site-up', ...site])));
    const subnets = ['one', 'two', 'three', 'four'].map((name) => subnetOf(other, name));
    subnets.push(subnetOf(workshop, 'east'), subnetOf(workshop, 'west'));
    expect(new Set(subnets).size).toBe(6);
    await other.close();
    expect((await workshop.host('a1')).state).toBe('running');
  });

  test('hosts reach each other within a site and across sites', async () => {
    expect(await reaches('a1', 'a2')).toBe(true);
    expect(await reaches('a1', 'b1')).toBe(true);
    expect(await reaches('b2', 'a3')).toBe(true);
  });

  test('the packet filter of the machine has no rules of sites', () => {
    const rules = execFileSync('nft', ['list', 'ruleset']).toString();
    expect(rules).not.toContain('kubeloom');
    expect(rules).not.toContain(workshop.prefix);
  });

  test('hosts disconnected from each other reach all others until the partition is healed', async () => {
    await workshop.must(['partition', ...cluster, '--host', 'a1', '--from', 'a2']);
    await workshop.must(['partition', ...cluster, '--host', 'a1', '--from', 'b1']);
    expect(await Promise.all(['a2', 'b1', 'a3', 'b2'].map((to) => reaches('a1', to)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    await workshop.must(['heal', ...cluster, '--host', 'a2']);
    expect(await Promise.all(['a2', 'b1'].map((to) => reaches('a1', to)))).toEqual([true, false]);
    await workshop.must(['heal', ...cluster]);
    expect(await reaches('a1', 'b1')).toBe(true);
  });

  test('the removal of one site leaves the other and its hosts untouched', async () => {
    const before = await workshop.ssh('b1', 'cat /proc/sys/kernel/random/boot_id');
    await workshop.must(['gc', ...workshop.site('east')]);
    expect((await workshop.status()).map((host) => host.host).sort()).toEqual(['b1', 'b2', 'b3']);
    expect(await workshop.ssh('b1', 'cat /proc/sys/kernel/random/boot_id')).toBe(before);
    expect(await reaches('b1', 'b2')).toBe(true);
  });

  test('a region is removed with its hosts, and the site with its last region', async () => {
    await workshop.must(['site-up', ...workshop.site('west'), '--region', 'south']);
    await workshop.must(['up', ...workshop.site('west'), '--host', 's1', '--id', 's', '--region', 'south']);
    await workshop.must(['site-down', ...workshop.site('west'), '--region', 'north']);
    expect((await workshop.status()).map((host) => host.host)).toEqual(['s1']);
    await workshop.must(['site-down', ...workshop.site('west'), '--region', 'south']);
    await workshop.must(['gc', '--all']);
    expect(workshop.leftovers()).toEqual([]);
  });

  test('a reserved network whose site no longer exists is assigned again', async () => {
    const directory = '/run/kubeloom/subnets';
    await workshop.must(['site-up', ...workshop.site('east')]);
    const subnet = subnetOf(workshop, 'east');
    await workshop.must(['gc', '--all']);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, subnet), 'klnobody /no/such/directory\n');
    await workshop.must(['site-up', ...workshop.site('east')]);
    expect(subnetOf(workshop, 'east')).toBe(subnet);
  });

  async function reaches(from: string, to: string): Promise<boolean> {
    const { address } = await workshop.host(to);
    return (await workshop.ssh(from, `ping -c 1 -W 1 -q ${address} >/dev/null && echo yes || echo no`)) === 'yes';
  }

  function subnetOf(where: HostWorkshop, provider: string): string {
    return readFileSync(join(where.stateDirectory, 'sites/test/shop-abc1234', provider, 'subnet'), 'utf8').trim();
  }
});
