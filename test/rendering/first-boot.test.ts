/** The script that a new machine runs before anybody is there: what it says, and what it does to a file tree. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodePlaceholder, renderFirstBoot } from '#rendering/first-boot.ts';

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG control $(it's)";
const node = 'control-aaaaaaa-01';
const rendered = renderFirstBoot({ clusterId: 'shop-1234567', publicKey: key });
/** As a module hands it to one machine. */
const script = rendered.replaceAll(nodePlaceholder, node);

describe('first boot script', () => {
  it('the first boot script matches its golden file', async () => {
    await expect(rendered).toMatchFileSnapshot('golden/first-boot.sh');
  });

  it('the first boot script is good POSIX shell', () => {
    expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const lint = spawnSync('shellcheck', ['-s', 'sh', '-'], { input: script, encoding: 'utf8' });
    // A machine without shellcheck has at least asked its shell.
    if (lint.error === undefined) expect(lint.stdout).toBe('');
  });

  it('the first boot script fits into the user data of every cloud, also in base64', () => {
    expect(Buffer.byteLength(script)).toBeLessThan(8 * 1024);
  });
});

describe('effect on an image', () => {
  let image: string;
  const path = (name: string) => join(image, name);
  const read = (name: string) => readFileSync(path(name), 'utf8');
  const put = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const boot = (text = script) => {
    const result = spawnSync('sh', [], { input: text, encoding: 'utf8', env: { KUBELOOM_ROOT: image } });
    expect(result).toMatchObject({ status: 0, stderr: '' });
  };

  beforeEach(() => {
    image = mkdtempSync(join(tmpdir(), 'first-boot-'));
    put('root/.ssh/authorized_keys', 'no-port-forwarding,command="echo no; exit 142" ssh-rsa AAAA cloud\n');
    put('etc/ssh/sshd_config', 'Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin no\n');
    put('etc/ssh/sshd_config.d/50-cloud-init.conf', 'PasswordAuthentication no\n');
    put('etc/cloud/cloud.cfg', 'disable_root: true\n');
    put('etc/hostname', 'ip-10-0-0-7\n');
    put('etc/hosts', '127.0.0.1 localhost\n');
  });
  afterEach(() => rmSync(image, { recursive: true }));

  it('root can log in with the key of the pool, with no other key and no forced command', () => {
    boot();
    expect(read('root/.ssh/authorized_keys')).toBe(`${key}\n`);
    expect(statSync(path('root/.ssh/authorized_keys')).mode & 0o777).toBe(0o600);
    expect(statSync(path('root/.ssh')).mode & 0o777).toBe(0o700);
    expect(read('etc/ssh/sshd_config.d/00-kubeloom.conf')).toContain('PermitRootLogin prohibit-password');
    expect(read('etc/ssh/sshd_config')).not.toContain('kubeloom');
    expect(read('etc/cloud/cloud.cfg.d/99-kubeloom.cfg')).toContain('disable_root: false');
  });

  it('the main sshd configuration is edited once when an image reads no other files', () => {
    put('etc/ssh/sshd_config', 'PermitRootLogin no\n');
    boot();
    boot();
    expect(read('etc/ssh/sshd_config').split('\n')[1]).toBe('PermitRootLogin prohibit-password');
    expect(read('etc/ssh/sshd_config').match(/# kubeloom/g)).toHaveLength(1);
  });

  it('the machine gets the name of its node', () => {
    boot();
    boot();
    expect(read('etc/hostname')).toBe(`${node}\n`);
    expect(read('etc/hosts').match(new RegExp(`127.0.1.1 ${node}`, 'g'))).toHaveLength(1);
  });

  it('the host name stays when the module gave none and the cloud set its own', () => {
    boot(rendered);
    expect(read('etc/hostname')).toBe('ip-10-0-0-7\n');
  });

  it('the saved firewall loses the rules that reject everything, and no others', () => {
    const kept = '-A INPUT -p tcp --dport 22 -j ACCEPT\n-A OUTPUT -d 169.254.0.0/16 -j InstanceServices\n';
    put('etc/iptables/rules.v4', `${kept}-A INPUT -j REJECT --reject-with icmp-host-prohibited\nCOMMIT\n`);
    boot();
    expect(read('etc/iptables/rules.v4')).toBe(`${kept}COMMIT\n`);
  });

  it('a second run changes nothing, except what cloud-init changed back', () => {
    boot();
    const before = statSync(path('etc/ssh/sshd_config.d/00-kubeloom.conf')).mtimeMs;
    put('root/.ssh/authorized_keys', 'command="exit" ssh-rsa AAAA cloud\n');
    boot();
    expect(read('root/.ssh/authorized_keys')).toBe(`${key}\n`);
    expect(statSync(path('etc/ssh/sshd_config.d/00-kubeloom.conf')).mtimeMs).toBe(before);
  });

  it('the script works on an image with almost no files', () => {
    rmSync(image, { recursive: true });
    mkdirSync(image);
    boot();
    expect(read('root/.ssh/authorized_keys')).toBe(`${key}\n`);
    expect(read('etc/hostname')).toBe(`${node}\n`);
  });
});
