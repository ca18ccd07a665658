/** The scripts that move the API endpoint, run on a directory that looks like a node's, with tools that note their calls. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const files = fileURLToPath(new URL('../../templates/ansible/files/', import.meta.url));
const simulated = existsSync('/usr/local/lib/kubeloom-simulated/.version');

const fakeKubeadm = `
[ ! -e "$KUBELOOM_KUBERNETES_DIR/fail-$3" ] || { echo 'kubeadm is broken' >&2; exit 1; }
config="\${@: -1}"
endpoint=$(sed -n 's/^controlPlaneEndpoint: //p' "$config")
case "$3/$4" in
  certs/apiserver) cp "$config" "$KUBELOOM_KUBERNETES_DIR/used.yaml"; echo new >"$KUBELOOM_KUBERNETES_DIR/pki/apiserver.crt"; echo new >"$KUBELOOM_KUBERNETES_DIR/pki/apiserver.key";;
  kubeconfig/all) for name in admin kubelet scheduler controller-manager super-admin; do
    echo "    server: https://$endpoint" >"$KUBELOOM_KUBERNETES_DIR/$name.conf"; done;;
esac`;

let directory: string;
let kubernetes: string;
let home: string;
const put = (path: string, text: string) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
};
const read = (name: string) => readFileSync(join(kubernetes, name), 'utf8').trim();
const calls = () =>
  existsSync(join(directory, 'calls')) ? readFileSync(join(directory, 'calls'), 'utf8').split('\n') : [];

function run(parts: readonly string[], variables: Readonly<Record<string, string>>) {
  const script = ['common', 'endpoint', ...parts].map((name) => readFileSync(`${files}${name}.sh`, 'utf8')).join('\n');
  const environment = { KUBELOOM_KUBERNETES_DIR: kubernetes, KUBELOOM_PORT: '6443', ...variables };
  const PATH = `${join(directory, 'bin')}:${process.env.PATH}`;
  return spawnSync('bash', ['--norc', '-c', script], { env: { ...environment, PATH }, encoding: 'utf8' });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'endpoint-'));
  kubernetes = join(directory, 'kubernetes');
  home = join(directory, 'home');
  mkdirSync(kubernetes);
  const tools = {
    kubeadm: fakeKubeadm,
    systemctl: '',
    crictl: '[ "$1" != pods ] || echo pod-of-$3',
    curl: `[[ "$*" != *http_code* ]] || cat ${directory}/answer 2>/dev/null || printf 200`,
    sleep: '',
    getent: `echo "ops:x:1:1::${home}:/bin/sh"`,
  };
  for (const [name, text] of Object.entries(tools)) {
    put(join(directory, 'bin', name), `#!/bin/bash\necho "${name} $*" >>${directory}/calls\n${text}\n`);
    chmodSync(join(directory, 'bin', name), 0o755);
  }
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe.skipIf(simulated)('API endpoint of a compute node', () => {
  const point = (server: string, variables: Readonly<Record<string, string>>) => {
    put(join(kubernetes, 'kubelet.conf'), `clusters:\n- cluster:\n    server: https://${server}\n  name: x\n`);
    return run(['endpoint-compute'], variables);
  };

  it('the kubelet of a compute node gets the new endpoint, and the rest of its file stays the same', () => {
    const result = point('10.0.0.1:6443', { KUBELOOM_HOST: 'lb.example.com', KUBELOOM_OLD_HOSTS: '10.0.0.9 10.0.0.1' });
    expect(result.stderr).toBe('');
    expect(read('kubelet.conf')).toBe('clusters:\n- cluster:\n    server: https://lb.example.com:6443\n  name: x');
    expect(result.stdout).toContain('changed: the kubelet speaks to lb.example.com:6443 instead of 10.0.0.1:6443');
  });

  it('a compute node whose endpoint only begins like the old one is refused and not changed', () => {
    const result = point('10.0.0.12:6443', { KUBELOOM_HOST: '10.0.0.3', KUBELOOM_OLD_HOSTS: '10.0.0.1' });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('10.0.0.12:6443, which is neither the old one nor 10.0.0.3:6443');
    expect(calls()).not.toContain('systemctl stop kubelet.service');
  });

  it.each(['curl: (7) Failed to connect to 10.0.0.3 port 6443: No route to host000', '503'])(
    'a compute node whom the new endpoint does not answer (%s) keeps the old one',
    (answer) => {
      put(join(directory, 'answer'), answer);
      const result = point('10.0.0.1:6443', { KUBELOOM_HOST: '10.0.0.3', KUBELOOM_OLD_HOSTS: '10.0.0.1' });
      expect(result.status).toBe(1);
      expect(result.stderr).toContain(
        `does not answer this node under 10.0.0.3:6443 (${answer}); its kubelet keeps 10.0.0.1:6443`,
      );
      expect(read('kubelet.conf')).toContain('server: https://10.0.0.1:6443');
      expect(calls()).not.toContain('systemctl stop kubelet.service');
    },
  );

  it('a new endpoint that lets no stranger ask has answered', () => {
    put(join(directory, 'answer'), '401');
    const result = point('10.0.0.1:6443', { KUBELOOM_HOST: '10.0.0.3', KUBELOOM_OLD_HOSTS: '10.0.0.1' });
    expect([result.status, result.stderr]).toEqual([0, '']);
  });

  it('a compute node that already has the new endpoint is not changed', () => {
    const result = point('lb.example.com:6443', { KUBELOOM_HOST: 'lb.example.com', KUBELOOM_OLD_HOSTS: '10.0.0.1' });
    expect([result.status, result.stdout]).toEqual([0, '']);
  });
});

describe.skipIf(simulated)('API endpoint of a control node', () => {
  const config = (node: string, kinds: readonly string[]) =>
    kinds.map((kind) => `kind: ${kind}\nnodeRegistration:\n  name: "${node}"`).join('\n---\n');
  const whole = (node: string) =>
    `${config(node, ['InitConfiguration'])}\n---\nkind: ClusterConfiguration\napiServer:\n  certSANs:\n  - 10.0.0.1\ncontrolPlaneEndpoint: 10.0.0.1:6443\n`;
  const variables = {
    KUBELOOM_HOST: 'lb.example.com',
    KUBELOOM_NAMES: 'lb.example.com www.example.com',
    KUBELOOM_NODE: 'control-1',
    KUBELOOM_USER: userInfo().username,
  };
  const point = () => run(['endpoint-config', 'endpoint-control'], variables);

  beforeEach(() => {
    put(join(kubernetes, 'pki', 'apiserver.crt'), 'old');
    put(join(kubernetes, 'pki', 'apiserver.key'), 'old');
    for (const name of ['admin', 'kubelet'])
      put(join(kubernetes, `${name}.conf`), '    server: https://10.0.0.1:6443\n');
    put(join(home, 'kubeone/cfg/control_plane_full_0.yaml'), whole('control-12'));
    put(join(home, 'kubeone/cfg/control_plane_full_1.yaml'), config('control-1', ['JoinConfiguration']));
    put(join(home, 'kubeone/cfg/control_plane_full_2.yaml'), whole('control-1'));
  });

  it('a control node uses its own kubeadm configuration, with the new endpoint and name in it', () => {
    const result = point();
    expect(result.stderr).toBe('');
    expect(result.stdout).toContain('changed: API endpoint is lb.example.com:6443');
    expect(read('used.yaml')).toBe(
      whole('control-1')
        .replace('certSANs:', 'certSANs:\n  - www.example.com\n  - lb.example.com')
        .replace('10.0.0.1:6443', 'lb.example.com:6443')
        .trim(),
    );
    expect(read('admin.conf')).toBe('server: https://lb.example.com:6443');
    expect(existsSync(join(kubernetes, 'super-admin.conf'))).toBe(false);
    expect(calls().join()).toMatch(
      /stop kubelet.*certs apiserver.*kubeconfig all.*restart kubelet.*rmp pod-of-kube-scheduler.*upload-config all/,
    );
  });

  it('a list of names that is indented deeper than its key stays a list', () => {
    put(
      join(home, 'kubeone/cfg/control_plane_full_2.yaml'),
      whole('control-1').replace('  - 10.0.0.1', '    - 10.0.0.1'),
    );
    point();
    const names = '    - www.example.com\n    - lb.example.com\n    - 10.0.0.1\n';
    expect(read('used.yaml')).toContain(`  certSANs:\n${names}`);
  });

  it('a control node gets its old certificate and files back when kubeadm fails', () => {
    put(join(kubernetes, 'fail-kubeconfig'), '');
    const result = point();
    expect([result.status, result.stderr.trim()]).toEqual([1, 'kubeadm is broken']);
    expect([read('pki/apiserver.crt'), read('admin.conf')]).toEqual(['old', 'server: https://10.0.0.1:6443']);
    expect(calls().filter(Boolean).at(-1)).toBe('systemctl start kubelet.service');
  });

  it('a control node without a kubeadm configuration from KubeOne is reported', () => {
    rmSync(home, { recursive: true });
    expect(point()).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/no kubeadm configuration of control-1/),
    });
    expect(calls()).not.toContain('systemctl stop kubelet.service');
  });

  /** A certificate that holds these names, on a node that has the endpoint already. */
  const settled = (...names: readonly string[]) => {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=x'],
        ...['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`, '-keyout', '/dev/null'],
        ...['-out', join(kubernetes, 'pki', 'apiserver.crt')],
      ],
      { stdio: 'ignore' },
    );
    put(join(kubernetes, 'admin.conf'), '    server: https://lb.example.com:6443\n');
    put(join(kubernetes, 'kubeloom-endpoint'), 'lb.example.com:6443\n');
  };

  it('a control node that already has the new endpoint is not changed', () => {
    settled('lb.example.com', 'www.example.com');
    expect(point().stdout).toBe('');
    expect(calls().some((call) => call.startsWith('kubeadm'))).toBe(false);
  });

  it('a control node whose certificate lacks a name of the API gets a new one', () => {
    settled('lb.example.com');
    expect(point().stdout).toContain('changed: API endpoint is lb.example.com:6443');
  });
});
