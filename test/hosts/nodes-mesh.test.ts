/** Nodes on real hosts: requirements, the WireGuard mesh, what changes when nodes come, go and die. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeEcdsaKeyPair } from '#cli/access/ssh-key-pair.ts';
import { eventually, isRoot } from './host-workshop.ts';
import { NodesFleet, type PlaybookRun } from './nodes-fleet.ts';

const fleet = new NodesFleet([
  { name: 'control', kind: 'control', provider: 'north' },
  { name: 'one', kind: 'compute', provider: 'north' },
  { name: 'two', kind: 'compute', provider: 'south' },
  { name: 'cellar', kind: 'compute', provider: 'south', reachability: 'static' },
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
]);
const all = fleet.nodes.map(({ name }) => name);
let first: PlaybookRun;

/** Public keys as the first run reported them. */
const keys = (...but: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    all.filter((name) => !but.includes(name)).map((name) => [name, String(first.facts[name]?.wireguardPublicKey)]),
  );
const others = (name: string): string[] => all.filter((other) => other !== name);

describe.runIf(isRoot)('nodes of two providers', () => {
  beforeAll(async () => {
    await fleet.start();
    first = await fleet.play('configure', { install: all });
  });
  afterAll(() => fleet.stop());

  test('nodes are configured and report key, port and boot id', async () => {
    expect(first.troubles).toEqual([]);
    expect(first.code).toBe(0);
    expect(Object.keys(first.changed).sort()).toEqual([...all].sort());
    expect(first.facts.one).toMatchObject({
      wireguardPublicKey: expect.stringMatching(/^[\w+/]{43}=$/),
      wireguardPort: 51820,
      bootId: await fleet.ssh('one', 'cat /proc/sys/kernel/random/boot_id'),
    });
  });

  test('each node reaches each other node over WireGuard', async () => {
    const reports = await fleet.verify(all);
    for (const name of all) {
      expect(reports[name]?.mesh).toEqual(Object.fromEntries(others(name).map((other) => [other, true])));
      expect(reports[name]?.surplus).toEqual([]);
    }
  });

  test('a second run of the mesh script reports no change', async () => {
    const again = await fleet.play('configure', { install: all });
    expect(again.changed).toEqual({});
    expect(again.code).toBe(0);
  });

  test('nodes never reveal their private key', async () => {
    for (const name of all) {
      expect(first.stdout).not.toContain(await fleet.ssh(name, 'cat /etc/wireguard/private.key'));
    }
    expect(await fleet.ssh('one', 'stat -c %a /etc/wireguard/private.key /etc/wireguard/wg0.conf')).toBe('600\n600');
  });

  test('nodes have the prefix of the network, MTU 1380, and WireGuard at the next boot', async () => {
    expect(await fleet.ssh('one', "ip -4 -o address show wg0 | awk '{print $4}'")).toBe(
      `${fleet.privateAddress('one')}/20`,
    );
    expect(await fleet.ssh('one', 'cat /sys/class/net/wg0/mtu; systemctl is-enabled wg-quick@wg0')).toBe(
      '1380\nenabled',
    );
  });

  test('dynamic nodes do not dial a node that can be behind NAT; it dials them and keeps alive', async () => {
    const peerOf = (on: string, peer: string) =>
      fleet.ssh(
        on,
        `sed -n '/^# ${peer}$/,/^\\[Peer\\]$/p' /etc/wireguard/wg0.conf | grep -E 'Endpoint|Keepalive' || true`,
      );
    expect(await peerOf('one', 'cellar')).toBe('');
    expect(await peerOf('cellar', 'one')).toBe(`Endpoint = ${fleet.address('one')}:51820\nPersistentKeepalive = 25`);
    expect(await peerOf('one', 'two')).toBe(`Endpoint = ${fleet.address('two')}:51820\nPersistentKeepalive = 25`);
  });

  test('a peer is removed and added without wg0 going down, and only it reports its key', async () => {
    const index = await fleet.ssh('one', 'cat /sys/class/net/wg0/ifindex');
    const staying = others('two');
    const shrunk = await fleet.play('configure', { mesh: staying, peers: staying, keys: keys() });
    expect(Object.keys(shrunk.changed).sort()).toEqual([...staying].sort());
    expect(await fleet.ssh('one', 'wg show wg0 peers | wc -l')).toBe('3');

    const grown = await fleet.play('configure', { install: ['two'], peers: staying, keys: keys('two') });
    expect(grown.code).toBe(0);
    expect(await fleet.ssh('one', 'wg show wg0 peers | wc -l; cat /sys/class/net/wg0/ifindex')).toBe(`4\n${index}`);
    const { two } = await fleet.verify(['two']);
    expect(two?.mesh).toMatchObject({ one: true, cellar: true, lb: true });
  });

  test('a node that drifted is repaired, and only it reports a change', async () => {
    await fleet.ssh('one', 'wg set wg0 peer "$(wg show wg0 peers | head -1)" remove; ip link set wg0 mtu 1500');
    await fleet.ssh('two', 'systemctl stop wg-quick@wg0');
    const healed = await fleet.play('configure', { install: all });
    expect(Object.keys(healed.changed).sort()).toEqual(['one', 'two']);
    expect(healed.changed.one).toEqual(['peers of wg0: 4', 'MTU of wg0']);
    expect(healed.changed.two).toEqual(['started wg0']);
  });

  test('a node rejoins the mesh automatically after a power cut', async () => {
    await fleet.power('kill', 'two');
    await fleet.power('start', 'two');
    const { two } = await fleet.verify(['two']);
    expect(two?.mesh).toMatchObject({ control: true, one: true, lb: true });
    // It does not dial the static node; that one notices by its own traffic that the old session is dead.
    await eventually('cellar reaches two', async () => {
      const { cellar } = await fleet.verify(['cellar']);
      return cellar?.mesh.two === true;
    });
    expect((await fleet.play('configure', { install: all })).changed).toEqual({});
  });

  test('nodes do not change when a new one cannot be prepared, and its cause is reported first', async () => {
    await fleet.ssh('cellar', 'mv /usr/bin/wg /usr/bin/wg.gone; rm /etc/wireguard/private.key');
    const before = await fleet.ssh('one', 'sha256sum /etc/wireguard/wg0.conf');
    const failed = await fleet.play('configure', {
      install: ['cellar'],
      peers: others('cellar'),
      keys: keys('cellar'),
    });
    await fleet.ssh('cellar', 'mv /usr/bin/wg.gone /usr/bin/wg');
    expect(failed.code).toBe(2);
    expect(failed.troubles[0]).toMatchObject({ event: 'failed', host: 'cellar' });
    expect(failed.troubles[0]?.message).toContain('wg: command not found');
    expect(await fleet.ssh('one', 'sha256sum /etc/wireguard/wg0.conf')).toBe(before);
    expect((await fleet.play('configure', { install: all })).code).toBe(0);
  });

  test('an installation proxy is set, taught to existing nodes, and removed again with what KubeOne wrote', async () => {
    const before = await fleet.ssh('one', 'cat /etc/environment');
    const endpoint = 'http://user:secret@proxy.example:8880';
    await fleet.ssh(
      'one',
      "printf '[Service]\\nExecStart=/bin/sleep infinity\\n' >/etc/systemd/system/containerd.service",
    );
    await fleet.ssh('one', 'systemctl daemon-reload && systemctl start containerd');
    const proxiesOf = () =>
      fleet.ssh(
        'one',
        'tr "\\0" "\\n" </proc/$(systemctl show -P MainPID containerd)/environ | grep -i _proxy= | sort',
      );
    const set = await fleet.play('configure', { proxy: ['one'], proxyEndpoint: endpoint });
    expect(set.code).toBe(0);
    expect(await fleet.ssh('one', 'grep -c 8880 /etc/environment; apt-config dump Acquire::http::Proxy')).toBe(
      `4\nAcquire::http::Proxy "${endpoint}";`,
    );
    expect((await fleet.play('configure', { proxy: ['one'], proxyEndpoint: endpoint })).changed).toEqual({});
    expect(set.stdout).not.toContain('secret');
    const differing = async (noProxy: string, at = endpoint) =>
      (await fleet.verify(['one'], { endpoint: at, noProxy })).one?.proxy;
    expect(await differing('svc,localhost')).toEqual([]);
    await fleet.ssh('one', 'mv /etc/apt/apt.conf.d/95-kubeloom-proxy /root');
    expect(await differing('svc,localhost')).toEqual(['apt']);
    await fleet.ssh('one', 'mv /root/95-kubeloom-proxy /etc/apt/apt.conf.d');

    const unit = '/etc/systemd/system/containerd.service.d/http-proxy.conf';
    await fleet.ssh('one', `printf 'http_proxy="${endpoint}"#kubeone\\nno_proxy="svc"#kubeone\\n' >>/etc/environment`);
    await fleet.ssh('one', `printf '[Service]\\nEnvironmentFile=/etc/environment\\n' >${unit}`);
    await fleet.ssh('one', `printf 'Acquire::http::Proxy "${endpoint}";\\n' >/etc/apt/apt.conf.d/proxy.conf`);
    await fleet.ssh('one', 'systemctl daemon-reload && systemctl restart containerd');
    expect(await proxiesOf()).toContain(`http_proxy=${endpoint}\n`);
    const learned = await fleet.play('configure', {
      peers: ['one'],
      keys: keys(),
      proxyEndpoint: endpoint,
      noProxy: '198.51.100.7',
    });
    expect(learned).toMatchObject({ code: 0, troubles: [] });
    expect(learned.changed.one).toContain('wrote /etc/environment');
    expect(await fleet.ssh('one', 'grep -c 198.51.100.7 /etc/environment')).toBe('2');
    expect(await differing('198.51.100.7')).toEqual([]);
    expect(await differing('', '')).toHaveLength(6);

    expect((await fleet.play('configure', { proxy: ['one'] })).changed.one).toContain(
      'restarted containerd for the proxy',
    );
    expect(await proxiesOf().catch(() => '')).toBe('');
    expect(await differing('', '')).toEqual([]);
    expect(await fleet.ssh('one', 'cat /etc/environment')).toBe(before);
    expect(await fleet.ssh('one', `ls ${unit} /etc/apt/apt.conf.d/*proxy* 2>/dev/null | wc -l`)).toBe('0');
    await fleet.ssh('one', 'systemctl stop containerd && rm /etc/systemd/system/containerd.service');
  });

  test('a node accepts the key of a person until its time is over, and not longer', async () => {
    const { privateKey, publicKey } = makeEcdsaKeyPair('kubeloom');
    const file = join(fleet.directory, 'person');
    writeFileSync(file, privateKey, { mode: 0o600 });
    const key = publicKey.split(' ').slice(0, 2).join(' ');
    const openUntil = async (seconds: number) => {
      const until = String(Math.floor(Date.now() / 1000) + seconds);
      return fleet.play('access', { peers: ['one'], variables: { one: { kubeloom_access: { key, until } } } });
    };
    const login = () => fleet.workshop.ssh('one', 'hostname', fleet.address('one'), file);
    await expect(login()).rejects.toThrow('Permission denied');
    expect((await openUntil(3600)).changed.one).toEqual(['wrote /root/.ssh/authorized_keys']);
    expect(await login()).not.toBe('');
    await openUntil(-1);
    await expect(login()).rejects.toThrow('Permission denied');
    expect(await fleet.ssh('one', 'grep -c . /root/.ssh/authorized_keys')).not.toBe('0');
  });

  test('nodes that leave are cleaned, twice too, and a dead one does not prevent it', async () => {
    await fleet.power('kill', 'two');
    const left = await fleet.play('detach', { uninstall: ['cellar', 'two'] });
    expect(left.code).toBe(0);
    expect(left.troubles).toMatchObject([{ event: 'unreachable', host: 'two' }]);
    expect(left.changed.cellar).toContain('stopped wg0');
    expect(await fleet.ssh('cellar', 'ls /etc/wireguard /sys/class/net/wg0 2>&1 | grep -c "No such file"')).toBe('2');
    expect((await fleet.play('detach', { uninstall: ['cellar'] })).changed).toEqual({});
  });
});
