/** What failed playbooks, KubeOne runs and kubectl commands mean. */
import { describe, expect, it } from 'vitest';
import { playbookError } from '#runner/ansible/playbook-failure.ts';
import { kubeoneError } from '#runner/kubeone/kubeone-failure.ts';
import { kubectlError } from '#runner/kubernetes/kubectl-failure.ts';
import { twoProviderState } from '#test/rendering/states.ts';

const trouble = (event: 'failed' | 'unreachable', host: string, message: string, ignored = false) => ({
  event,
  host,
  task: 'Set address and peers',
  message,
  ignored,
});

describe('playbook failures', () => {
  it.each([
    [
      'transient',
      'HostUnreachable',
      trouble('unreachable', 'n1', 'ssh: connect to host 198.18.0.9 port 22: No route to host'),
    ],
    ['credentials', 'SshRefused', trouble('unreachable', 'n1', 'ops@203.0.113.9: Permission denied (publickey).')],
    ['credentials', 'SudoRefused', trouble('failed', 'n1', 'sudo: a password is required')],
    ['conflict', 'PackageManagerBusy', trouble('failed', 'n1', 'E: Could not get lock /var/lib/dpkg/lock-frontend')],
    [
      'conflict',
      'AddressInUse',
      trouble(
        'failed',
        'n1',
        'Binding for proxy role-a: cannot bind socket (Address already in use) for [0.0.0.0:8084]',
      ),
    ],
    ['transient', 'NodeNetworkFailed', trouble('failed', 'n1', "Temporary failure resolving 'deb.debian.org'")],
    ['user', 'DiskFull', trouble('failed', 'n1', 'cp: write error: No space left on device')],
    [
      'transient',
      'NodeConfigurationFailed',
      trouble('failed', 'n1', 'WireGuard does not start: ERROR: (wg0) Failed to open UAPI: too many open files'),
    ],
    [
      'transient',
      'NodeConfigurationFailed',
      trouble('failed', 'n1', 'WireGuard does not start: RTNETLINK answers: Device or resource busy'),
    ],
    [
      'conflict',
      'AddressInUse',
      trouble('failed', 'n1', 'WireGuard does not start: RTNETLINK answers: Address already in use'),
    ],
    [
      'user',
      'NodeConfigurationFailed',
      trouble(
        'failed',
        'n1',
        'WireGuard does not start: [#] ip link add wg0 type wireguard Error: Unknown device type.',
      ),
    ],
    ['user', 'ProgramMissing', trouble('failed', 'n1', 'line 3: frobnicate: command not found')],
    ['transient', 'NodeConfigurationFailed', trouble('failed', 'n1', 'the moon is in the wrong phase')],
  ])('a playbook failure is of class %s, code %s', (expected, code, event) => {
    expect(playbookError([event], '')).toMatchObject({ class: expected, code, resource: 'n1' });
  });

  it('a playbook failure names the unreachable host before hosts that depend on it', () => {
    const troubles = [
      trouble('failed', 'n1', 'no public key is known of n2'),
      trouble('unreachable', 'n2', 'timed out'),
    ];
    expect(playbookError(troubles, '')).toMatchObject({
      resource: 'n2',
      message: expect.stringMatching(/\(and 1 more node\)$/),
    });
  });

  it('a playbook failure does not blame a host whose failure was ignored', () => {
    const error = playbookError([trouble('failed', 'n1', 'gone', true)], 'ERROR! bad inventory');
    expect(error).toMatchObject({ class: 'bug', message: 'ERROR! bad inventory' });
  });
});

describe('KubeOne failures', () => {
  it.each([
    [
      'transient',
      'HostUnreachable',
      'level=error msg="ssh: dialing workers-bbbbbbb-01: dial tcp 198.18.0.3:2222: connect: no route to host"',
    ],
    [
      'credentials',
      'SshRefused',
      'Error: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey]',
    ],
    ['user', 'VersionRefused', 'Error: kubernetes version 1.29.0 is not supported by this release'],
    ['conflict', 'BrokenHosts', 'Error: found broken hosts, manual intervention is required'],
    ['conflict', 'BrokenHosts', 'Error: configuration broken hosts check\nbroken host(s) found, remove it manually'],
    [
      'conflict',
      'JoinWithUpgrade',
      'Error: configuration validation\nrepair and upgrade are not supported at the same time',
    ],
    ['user', 'VersionRefused', 'Error: configuration sanity check\ncluster downgrades are disallowed'],
    ['bug', 'ManifestRefused', 'Error: unable to decode: unknown field "spec.foo"'],
    [
      'bug',
      'ManifestRefused',
      'Error: configuration validation\nprovided apiVersion "kubeone.k8c.io/v1beta3" is not supported',
    ],
    [
      'bug',
      'ManifestRefused',
      'Error: configuration decoding kubeone.k8c.io/v1beta2, Kind=KubeOneCluster\njson: cannot unmarshal bool',
    ],
    ['transient', 'KubeOneFailed', 'Error: the moon is in the wrong phase'],
  ])('a KubeOne failure is of class %s, code %s', (expected, code, line) => {
    expect(kubeoneError(`INFO installing\n${line}\n`, twoProviderState())).toMatchObject({ class: expected, code });
  });

  it.each([
    [
      'a compute node that was there before',
      'workers-bbbbbbb-01',
      twoProviderState(),
      'Remove it from the manifest first',
    ],
    ['a control node', 'control-aaaaaaa-02', twoProviderState(), 'It is a control node'],
    ['a node that is new', 'workers-bbbbbbb-01', null, 'It is new'],
  ])('a broken host is named with what to do about %s', (_, host, before, words) => {
    const output = `ERRO Host "${host}" is broken and needs to be manually removed\nError: configuration broken hosts check\nbroken host(s) found, remove it manually`;
    const error = kubeoneError(output, twoProviderState(), before);
    expect(error).toMatchObject({ code: 'BrokenHosts', resource: host, hint: expect.stringContaining(words) });
    expect(error.message).toMatch(new RegExp(`remove it manually: ${host}$`));
  });

  it('a KubeOne failure names the node only when its output has the whole name', () => {
    const error = kubeoneError('Error: workers-bbbbbbb-01: kubeadm failed', twoProviderState());
    expect(error.resource).toBe('workers-bbbbbbb-01');
    expect(kubeoneError('Error: workers-bbbbbbb-011 failed', twoProviderState()).resource).toBeUndefined();
  });
});

describe('kubectl failures', () => {
  it.each([
    ['transient', 'KubernetesUnreachable', 'The connection to the server 198.18.0.5:6443 was refused'],
    ['credentials', 'KubernetesRefused', 'error: You must be logged in to the server (Unauthorized)'],
    [
      'conflict',
      'NodeChanged',
      'Operation cannot be fulfilled on nodes "n1": the object has been modified; please apply',
    ],
    ['user', 'KubernetesRejected', 'The Node "n1" is invalid: metadata.labels: Invalid value: "a b"'],
    ['transient', 'KubectlFailed', 'error: something odd'],
  ])('a kubectl failure is of class %s, code %s', (expected, code, output) => {
    expect(kubectlError('patch', output, 'n1')).toMatchObject({ class: expected, code, resource: 'n1' });
  });
});
