/** A machine of the user that was a node and leaves: what was there before Kubeloom is there again, on a real host. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRoot } from './host-workshop.ts';
import { NodesFleet } from './nodes-fleet.ts';

const fleet = new NodesFleet([{ name: 'metal', kind: 'compute', provider: 'cellar', reachability: 'static' }]);
const own = ['/etc/wireguard/wg7.conf', '/etc/haproxy/haproxy.cfg'];
const upgrades = '/etc/systemd/system/multi-user.target.wants/unattended-upgrades.service';

describe.runIf(isRoot)('a machine of the user', () => {
  beforeAll(async () => {
    await fleet.start();
    const unit = '[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target';
    await fleet.ssh(
      'metal',
      [
        ...own.map((file) => `mkdir -p $(dirname ${file}) && echo mine >${file}`),
        `printf '${unit}\\n' >/lib/systemd/system/unattended-upgrades.service`,
        'systemctl enable --now --quiet unattended-upgrades.service',
      ].join(' && '),
    );
  });
  afterAll(() => fleet.stop());

  test('a machine of the user does not upgrade itself while it is a node', async () => {
    const proxyEndpoint = 'http://127.0.0.1:9';
    expect(await fleet.play('configure', { install: ['metal'] })).toMatchObject({ code: 0, troubles: [] });
    expect(await fleet.play('configure', { proxy: ['metal'], proxyEndpoint })).toMatchObject({ code: 0 });
    // As KubeOne does.
    await fleet.ssh('metal', `echo 'http_proxy="${proxyEndpoint}"#kubeone' >>/etc/environment; mkdir -p /etc/kubeone`);
    await fleet.ssh('metal', `echo 'Acquire::http::Proxy "${proxyEndpoint}";' >/etc/apt/apt.conf.d/proxy.conf`);
    expect(await fleet.ssh('metal', 'systemctl is-enabled unattended-upgrades || true')).toBe('masked');
  });

  test('a machine of the user has its own files and upgrades after it left, and nothing of ours', async () => {
    const { code, changed } = await fleet.play('detach', { uninstall: ['metal'] });
    expect(code).toBe(0);
    expect(changed.metal).toContain('unattended-upgrades works again');
    expect(await fleet.ssh('metal', `cat ${own.join(' ')}`)).toBe('mine\nmine');
    expect(await fleet.ssh('metal', `test -L ${upgrades} && systemctl is-active unattended-upgrades`)).toBe('active');
    expect(await fleet.ssh('metal', 'ls -A /etc/wireguard')).toBe('wg7.conf');
    expect(await fleet.ssh('metal', 'ls -d /etc/kubeloom /etc/kubeone 2>/dev/null || true')).toBe('');
    const proxied = 'cat /etc/environment /etc/apt/apt.conf.d/* /etc/systemd/system/*.d/* 2>/dev/null | grep -ci proxy';
    expect(await fleet.ssh('metal', `${proxied} || true`)).toBe('0');
    expect((await fleet.play('detach', { uninstall: ['metal'] })).changed).toEqual({});
  });
});
