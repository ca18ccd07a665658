/** What load balancers run with: the configuration of haproxy and the lines of UDP roles. */
import { describe, expect, test } from 'vitest';
import { type BalancedRole, balancerFiles } from '#rendering/balancer-files.ts';

const role = (name: string, fields: Partial<BalancedRole> = {}): BalancedRole => ({
  name,
  protocol: 'tcp',
  port: 443,
  targetPort: 30_443,
  proxyProtocol: false,
  stickySessions: false,
  targets: [
    { name: 'two', address: '10.0.0.2' },
    { name: 'one', address: '10.0.0.1' },
  ],
  ...fields,
});
const files = (...roles: readonly BalancedRole[]) => balancerFiles(roles, '10.0.0.9');
/** Sections of haproxy by name. */
const listen = (...roles: readonly BalancedRole[]): Readonly<Record<string, string>> => {
  const parts = files(...roles)
    .haproxy.split(/^listen /m)
    .slice(1);
  return Object.fromEntries(parts.map((part) => [part.split('\n')[0] ?? '', part.replace(/\s+/g, ' ').trim()]));
};
const dns = role('dns', { protocol: 'udp', port: 53, targetPort: 30_053 });
const wanted = { proxyProtocol: true, stickySessions: true };
const asked = [role('shop', wanted), role('api', { ...wanted, port: 6443, targetPort: 6443 })];

describe('load balancer', () => {
  test('the load balancer has a section for each TCP role, targets in a fixed order, and a health port', () => {
    expect(listen(role('shop'))).toEqual({
      kubeloom: expect.stringContaining('bind 127.0.0.1:65534 bind 10.0.0.9:65534 transparent'),
      'role-shop':
        'role-shop bind :443 balance roundrobin server one 10.0.0.1:30443 id 1 server two 10.0.0.2:30443 id 2',
    });
  });

  test('workers that reloads leave are bounded, and none is ended by time alone', () => {
    const [, global = ''] = /^global$([\s\S]*?)^defaults$/m.exec(files(role('shop')).haproxy) ?? [];
    expect(global).toContain('\n  mworker-max-reloads 50\n');
    expect(global).not.toContain('hard-stop-after');
  });

  test('a role reads as it did when Ansible wrote it: the machines that run it have nothing to reload', () => {
    expect(files(role('shop', { stickySessions: true })).haproxy.split('@fingerprint@\n')[1]).toBe(`
listen role-shop
  bind :443
  balance source
  hash-type consistent
  server one 10.0.0.1:30443 id 1

  server two 10.0.0.2:30443 id 2


`);
  });

  test('the order of roles and targets changes nothing', () => {
    const turned = [...asked].reverse().map((one) => ({ ...one, targets: [...one.targets].reverse() }));
    expect(files(...turned)).toEqual(files(...asked));
  });

  test('PROXY protocol and sticky sessions are used as asked, but never for the Kubernetes API', () => {
    const sections = listen(...asked);
    expect(sections['role-shop']).toContain(
      'balance source hash-type consistent server one 10.0.0.1:30443 id 1 send-proxy',
    );
    expect(sections['role-api']).toContain('role-api bind :6443 balance roundrobin option httpchk');
    expect(sections['role-api']).not.toContain('send-proxy');
  });

  test('an API server gets connections while it says that it is ready; when none says so, all of them get some', () => {
    const section =
      files(...asked)
        .haproxy.split('listen role-api\n')[1]
        ?.split('listen ')[0] ?? '';
    const lines = section.split('\n').map((line) => line.trim());
    expect(lines).toContain('option httpchk GET /readyz');
    expect(lines).toContain('http-check expect rstatus ^(200|401)$');
    expect(lines).toContain('option allbackups');
    expect(lines.filter((line) => line.startsWith('server'))).toEqual([
      'server one 10.0.0.1:6443 tcp-ut 20s check-ssl verify none inter 500ms fall 1 id 1',
      'server two 10.0.0.2:6443 tcp-ut 20s check-ssl verify none inter 500ms fall 1 id 2',
      'server one-unready 10.0.0.1:6443 tcp-ut 20s no-check backup',
      'server two-unready 10.0.0.2:6443 tcp-ut 20s no-check backup',
    ]);
    expect(listen(...asked)['role-shop']).not.toContain('httpchk');
  });

  test('connections are cut when data is not taken for 20 s for the Kubernetes API only: elsewhere a target may be slow', () => {
    expect(Object.values(listen(...asked)).filter((section) => section.includes('tcp-ut'))).toEqual([
      expect.stringMatching(/^role-api .*:6443 tcp-ut 20s .*:6443 tcp-ut 20s /),
    ]);
  });

  test('targets of a large network have ids that haproxy accepts, each its own', () => {
    const addresses = ['192.168.0.1', '192.168.1.0', '192.169.0.1', '192.168.255.254'];
    const targets = addresses.map((address, index) => ({ name: `node-${index}`, address }));
    const ids = [...(listen(role('shop', { targets }))['role-shop'] ?? '').matchAll(/ id (\d+)/g)];
    expect(ids.map((match) => Number(match[1]))).toEqual([11010049, 11010304, 11075585, 11075582]);
  });

  test('the load balancer leaves UDP roles to the kernel', () => {
    expect(Object.keys(listen(dns))).toEqual(['kubeloom']);
    expect(files(dns, role('shop')).udp).toBe('53 30053 spread 10.0.0.1 10.0.0.2');
    expect(files({ ...dns, stickySessions: true }).udp).toBe('53 30053 sticky 10.0.0.1 10.0.0.2');
  });

  test('the load balancer has no UDP rules without UDP roles or without targets', () => {
    expect(files(role('shop'), { ...dns, targets: [] }).udp).toBe('');
  });

  test('ports of all roles, and those that Kubeloom listens on itself, are kept from outgoing connections', () => {
    expect(files(dns, role('shop'), role('more', { port: 53 })).ports).toBe('53,443,51820,65533,65534');
  });
});
