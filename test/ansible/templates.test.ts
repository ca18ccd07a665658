/** What nodes get to read: peer lists; and what all scripts and playbooks have to be. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { needAnsible, render, templates } from './playbook.ts';

beforeAll(needAnsible);

const node = (name: string, number: number, reachability: string) => ({
  name,
  private_address: `10.0.0.${number}`,
  public_address: `198.18.0.${number}`,
  port: 51820 + number,
  reachability,
  public_key: `key-of-${name}`,
});

function inventory(hosts: readonly string[], statics: readonly string[]): { readonly all: object } {
  const group = (names: readonly string[]) => ({ hosts: Object.fromEntries(names.map((name) => [name, {}])) });
  const mesh = [
    node('cloud', 1, 'dynamic'),
    node('farm', 2, 'dynamic'),
    node('cellar', 3, 'static'),
    node('attic', 4, 'static'),
  ];
  const vars = { kubeloom_mesh: mesh };
  const dynamics = hosts.filter((name) => !statics.includes(name));
  return { all: { vars, children: { dynamic: group(dynamics), static: group(statics) } } };
}

describe('peer lists', () => {
  test('nodes of one router dial each other under their local addresses, all others under public ones', async () => {
    const near = (name: string, number: number, site: string) => ({
      ...node(name, number, 'dynamic'),
      site,
      local_endpoint: `10.1.0.${number}:51820`,
    });
    const mesh = [
      near('one', 1, 'rack a'),
      near('two', 2, 'rack a'),
      near('three', 3, 'rack b'),
      node('four', 4, 'dynamic'),
    ];
    const vars = { kubeloom_mesh: mesh };
    const hosts = { one: { kubeloom_site: 'rack a' }, four: {} };
    const lists = await render('peers.conf.j2', {
      all: { vars, children: { dynamic: { hosts }, static: { hosts: {} } } },
    });
    const endpoints = (list: string | undefined) =>
      Object.fromEntries(Object.entries(sections(list)).map(([name, { Endpoint }]) => [name, Endpoint]));
    expect(endpoints(lists.one)).toEqual({
      two: '10.1.0.2:51820',
      three: '198.18.0.3:51823',
      four: '198.18.0.4:51824',
    });
    expect(endpoints(lists.four)).toMatchObject({ one: '198.18.0.1:51821', two: '198.18.0.2:51822' });
  });

  test('the peer list of a node has all other nodes and follows who can dial whom', async () => {
    const lists = await render('peers.conf.j2', inventory(['cloud', 'cellar'], ['cellar']));
    expect(sections(lists.cloud)).toEqual({
      farm: {
        PublicKey: 'key-of-farm',
        AllowedIPs: '10.0.0.2/32',
        Endpoint: '198.18.0.2:51822',
        PersistentKeepalive: '25',
      },
      cellar: { PublicKey: 'key-of-cellar', AllowedIPs: '10.0.0.3/32' },
      attic: { PublicKey: 'key-of-attic', AllowedIPs: '10.0.0.4/32' },
    });
    expect(sections(lists.cellar)).toEqual({
      cloud: {
        PublicKey: 'key-of-cloud',
        AllowedIPs: '10.0.0.1/32',
        Endpoint: '198.18.0.1:51821',
        PersistentKeepalive: '25',
      },
      farm: {
        PublicKey: 'key-of-farm',
        AllowedIPs: '10.0.0.2/32',
        Endpoint: '198.18.0.2:51822',
        PersistentKeepalive: '25',
      },
      // On another site, whose router may accept nothing that this one did not ask for, or the other way round.
      attic: {
        PublicKey: 'key-of-attic',
        AllowedIPs: '10.0.0.4/32',
        Endpoint: '198.18.0.4:51824',
        PersistentKeepalive: '25',
      },
    });
  });
});

test.each(readdirSync(join(templates, 'files')))(
  'the file %s is a script of at most 60 lines that bash accepts',
  (file) => {
    const path = join(templates, 'files', file);
    execFileSync('bash', ['-n', path]);
    expect(execFileSync('wc', ['-l', path]).toString().split(' ')[0]).toSatisfy((lines) => Number(lines) <= 60);
  },
);

test('every playbook is one that Ansible accepts', () => {
  const playbooks = readdirSync(templates).filter((name) => name.endsWith('.yml'));
  const config = { ANSIBLE_CONFIG: join(templates, 'ansible.cfg'), ANSIBLE_INVENTORY_ENABLED: 'host_list' };
  const args = ['--syntax-check', ...playbooks.map((file) => join(templates, file)), '-i', 'localhost,'];
  const options = { env: { ...process.env, ...config }, input: '', encoding: 'utf8' as const };
  const output = execFileSync('ansible-playbook', args, options);
  for (const file of playbooks) expect(output).toContain(file);
});

test('no playbook makes a variable of what a machine prints', () => {
  const texts = readdirSync(templates)
    .filter((name) => name.endsWith('.yml'))
    .map((name) => readFileSync(join(templates, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) {
    expect(text).not.toMatch(/register:|set_fact|ansible_facts|gather_facts: true|until:|failed_when|changed_when/);
    for (const [, used] of text.matchAll(/hostvars(.*)/g)) expect(used).toContain(').kubeloom_boot_at_once');
  }
});

test('a script of a playbook that installs packages has the function for it before', () => {
  const text = (path: string) => readFileSync(join(templates, path), 'utf8');
  const installs = (path: string) => /^\s*packages /m.test(text(path));
  const scripts = readdirSync(templates)
    .filter((name) => name.endsWith('.yml'))
    .flatMap((playbook) => text(playbook).split(/^\s+- name: /m));
  const checked = scripts.flatMap((script) => {
    const files = [...script.matchAll(/lookup\('(file|template)', '([^']+)'\)/g)].map(([, kind, name]) =>
      kind === 'file' ? `files/${name}` : `templates/${name}`,
    );
    // A template's own scripts come where it does.
    const all = files.flatMap((path) => [
      path,
      ...[...text(path).matchAll(/lookup\('file', '([^']+\.sh)'\)/g)].map(([, name]) => `files/${name}`),
    ]);
    const first = all.findIndex(installs);
    if (first < 0) return [];
    const functions = all.indexOf('files/packages.sh');
    expect({ script: script.split('\n')[0], known: functions >= 0 && functions < first }).toMatchObject({
      known: true,
    });
    return [script];
  });
  expect(checked.length).toBeGreaterThan(2);
});

/** [Peer] sections by the name in their comment. */
function sections(text = ''): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const peers = text.split('[Peer]').slice(1);
  return Object.fromEntries(
    peers.map((peer) => {
      const [name = '', ...lines] = peer.trim().split('\n');
      return [name.slice(2), Object.fromEntries(lines.filter(Boolean).map((line) => line.split(' = ')))];
    }),
  );
}
