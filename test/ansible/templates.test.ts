/** What nodes get to read: peer lists, load balancer configuration, UDP rules. */
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
});

function inventory(hosts: readonly string[], statics: readonly string[]): { readonly all: object } {
  const group = (names: readonly string[]) => ({ hosts: Object.fromEntries(names.map((name) => [name, {}])) });
  const mesh = [
    node('cloud', 1, 'dynamic'),
    node('farm', 2, 'dynamic'),
    node('cellar', 3, 'static'),
    node('attic', 4, 'static'),
  ];
  const vars = {
    kubeloom_mesh: mesh,
    kubeloom_keys: Object.fromEntries(mesh.map(({ name }) => [name, `key-of-${name}`])),
    kubeloom_private_address: '10.0.0.9',
    kubeloom_load_balancer: 'lb',
  };
  const dynamics = hosts.filter((name) => !statics.includes(name));
  return { all: { vars, children: { dynamic: group(dynamics), static: group(statics) } } };
}

const role = (name: string, fields: object = {}) => ({
  name,
  protocol: 'tcp',
  port: 443,
  target_port: 30443,
  proxy_protocol: false,
  sticky_sessions: false,
  targets: [
    { name: 'two', address: '10.0.0.2' },
    { name: 'one', address: '10.0.0.1' },
  ],
  ...fields,
});

describe('peer lists', () => {
  test('nodes behind one router dial each other under their local addresses, all others under public ones', async () => {
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
    const vars = {
      kubeloom_mesh: mesh,
      kubeloom_keys: Object.fromEntries(mesh.map(({ name }) => [name, `key-of-${name}`])),
    };
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
      attic: { PublicKey: 'key-of-attic', AllowedIPs: '10.0.0.4/32', Endpoint: '198.18.0.4:51824' },
    });
  });
});

describe('load balancer', () => {
  const wanted = { proxy_protocol: true, sticky_sessions: true };
  const addresses = ['192.168.0.1', '192.168.1.0', '192.169.0.1', '192.168.255.254'];
  const dns = role('dns', { protocol: 'udp', port: 53, target_port: 30053 });
  /** By the name of a load balancer; one start of Ansible renders them all. */
  const roles = {
    plain: [role('shop')],
    asked: [role('shop', wanted), role('api', { ...wanted, port: 6443, target_port: 6443 })],
    large: [role('shop', { targets: addresses.map((address, index) => ({ name: `node-${index}`, address })) })],
    names: [dns],
    both: [dns, role('shop')],
    empty: [role('shop'), role('dns', { protocol: 'udp', targets: [] })],
  };
  const udp: readonly string[] = ['both', 'empty'];
  let rendered: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const hosts = Object.entries(roles).map(([name, of]) => [
      name,
      {
        kubeloom_load_balancers: { lb: { roles: of } },
        template: udp.includes(name) ? 'udp-roles.j2' : 'haproxy.cfg.j2',
      },
    ]);
    const { all } = inventory([], []);
    rendered = await render('', { all: { ...all, hosts: Object.fromEntries(hosts) } });
  });

  const listen = (name: keyof typeof roles): Readonly<Record<string, string>> => {
    const parts = (rendered[name] ?? '').split(/^listen /m).slice(1);
    return Object.fromEntries(parts.map((part) => [part.split('\n')[0] ?? '', part.replace(/\s+/g, ' ').trim()]));
  };

  test('the load balancer has a section for each TCP role, targets in a fixed order, and a health port', () => {
    expect(listen('plain')).toEqual({
      kubeloom: expect.stringContaining('bind 127.0.0.1:65534 bind 10.0.0.9:65534 transparent'),
      'role-shop':
        'role-shop bind :443 balance roundrobin server one 10.0.0.1:30443 id 1 server two 10.0.0.2:30443 id 2',
    });
  });

  test('PROXY protocol and sticky sessions are used as asked, but never for the Kubernetes API', () => {
    const sections = listen('asked');
    expect(sections['role-shop']).toContain(
      'balance source hash-type consistent server one 10.0.0.1:30443 id 1 send-proxy',
    );
    expect(sections['role-api']).toBe(
      'role-api bind :6443 balance roundrobin server one 10.0.0.1:6443 tcp-ut 20s id 1 server two 10.0.0.2:6443 tcp-ut 20s id 2',
    );
  });

  test('connections are cut when data is not taken for 20 s for the Kubernetes API only: elsewhere a target may be slow', () => {
    expect(Object.values(listen('asked')).filter((section) => section.includes('tcp-ut'))).toEqual([
      expect.stringMatching(/^role-api .*:6443 tcp-ut 20s .*:6443 tcp-ut 20s /),
    ]);
  });

  test('targets of a large network have ids that haproxy accepts, each its own', () => {
    const section = listen('large')['role-shop'] ?? '';
    const ids = [...section.matchAll(/ id (\d+)/g)].map((match) => Number(match[1]));
    expect(ids).toEqual([11010049, 11010304, 11075585, 11075582]);
  });

  test('the load balancer leaves UDP roles to the kernel', () => {
    expect(Object.keys(listen('names'))).toEqual(['kubeloom']);
    expect(rendered.both?.trim()).toBe('53 30053 spread 10.0.0.1 10.0.0.2');
  });

  test('the load balancer has no UDP rules without UDP roles or without targets', () => {
    expect(rendered.empty?.trim()).toBe('');
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
  const said = execFileSync('ansible-playbook', args, options);
  for (const file of playbooks) expect(said).toContain(file);
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
