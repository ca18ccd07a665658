/** What `kubeone apply` refuses to do, decided from what was found on the hosts and in the cluster. */

import { compareVersions } from '#domain/kubernetes-versions.ts';
import type { ReportedNode } from './known-nodes.ts';
import { configurationRefusal, type KubeOneRefusal, runtimeFailure } from './refusal.ts';
import type { Probe } from './simulated-code.ts';

export interface Situation {
  readonly wantedVersion: string;
  /** Probes of all hosts of the manifest. */
  readonly probes: readonly Probe[];
  /** Host names of its control plane. */
  readonly controls: readonly string[];
  /** Nodes that the cluster knows; empty for a new one. */
  readonly live: readonly ReportedNode[];
}

/** How KubeOne refuses it, and what is wrong in sentences. */
export interface ClusterRefusal {
  readonly refusal: KubeOneRefusal;
  readonly sentences: readonly string[];
}

/** The control plane exists, and no API server of it answers. */
export const quorumLost = runtimeFailure('running probes', 'runtime: leader electing\nquorum mostly like lost');

/** The reason to stop; undefined = continue. */
export function safeguardRefusal(situation: Situation): ClusterRefusal | undefined {
  const { wantedVersion, probes, controls, live } = situation;
  const authorities = new Set(probes.map(({ authority }) => authority).filter((authority) => authority !== null));
  const names = probes.filter(({ authority }) => authority !== null).map(({ host }) => host.hostname);
  if (authorities.size > 1) {
    return broken(`hosts belong to different clusters: ${names.join(', ')}; reset the ones that do not belong here`);
  }
  if (authorities.size === 1 && !probes.some(({ holdsAuthority }) => holdsAuthority)) {
    return broken(
      `no control-plane host has the cluster's keys, but ${names.join(', ')} belong to one; reset them first`,
    );
  }
  const known = live.filter(({ name }) => probes.some(({ host }) => host.hostname === name));
  const joining = probes.filter(({ host }) => !live.some(({ name }) => name === host.hostname));
  const empty = probes
    .filter(
      ({ host, kubernetesVersion }) => kubernetesVersion === null && known.some(({ name }) => name === host.hostname),
    )
    .map(({ host }) => host.hostname);
  // KubeOne continues when others join, and these join again.
  if (empty.length > 0 && joining.length === 0)
    return broken(
      `${empty.join(', ')} in the cluster without Kubernetes on the machine; delete the node, and its etcd member`,
    );
  const moved = known.filter(({ name, control }) => control !== controls.includes(name));
  if (moved.length > 0)
    return broken(
      ...moved.map(
        ({ name, control }) =>
          `${name} is a ${control ? 'control-plane' : 'worker'} node already: remove it before it changes sides`,
      ),
    );
  const newer = known.filter(({ version }) => compareVersions(version, wantedVersion) > 0);
  if (newer.length > 0)
    return {
      refusal: configurationRefusal('sanity check', 'cluster downgrades are disallowed'),
      sentences: newer.map(
        ({ name, version }) => `${name} runs ${version}: a downgrade to ${wantedVersion} is not possible`,
      ),
    };
  if (joining.length > 0 && known.some(({ version }) => compareVersions(version, wantedVersion) < 0)) {
    const missing = joining.map(({ host }) => host.hostname).join(', ');
    return {
      refusal: configurationRefusal('validation', 'repair and upgrade are not supported at the same time'),
      sentences: [
        'Repair and upgrade are not supported at the same time!',
        `let ${missing} join with the present version first`,
      ],
    };
  }
  return upgradeRefusal(wantedVersion, known);
}

/** What KubeOne checks before an upgrade: none is in progress, one minor version at a time. */
function upgradeRefusal(wantedVersion: string, known: readonly ReportedNode[]): ClusterRefusal | undefined {
  if (known.every(({ version }) => version === wantedVersion)) return undefined;
  const locked = known.find(({ control, upgrading }) => control && upgrading === true);
  if (locked !== undefined)
    return {
      refusal: safetyNet(
        `checking presence of "kubeone.io/upgrade-in-progress" label on node "${locked.name}"`,
        'label is present',
      ),
      sentences: [`an upgrade of ${locked.name} was interrupted: remove the label and use --force-upgrade`],
    };
  const skipping = known.filter(({ version }) => minorOf(wantedVersion) > minorOf(version) + 1);
  if (skipping.length === 0) return undefined;
  return {
    refusal: safetyNet(
      'checking version skew policy',
      'component can be only 1 minor version older than requested version',
    ),
    sentences: skipping.map(
      ({ name, version }) => `${name} runs ${version}: an upgrade to ${wantedVersion} skips a minor version`,
    ),
  };
}

function safetyNet(doing: string, problem: string): KubeOneRefusal {
  return runtimeFailure('checking preflight safetynet', `runtime: ${doing}\n${problem}`);
}

function broken(...sentences: readonly string[]): ClusterRefusal {
  return {
    refusal: configurationRefusal('broken hosts check', 'broken host(s) found, remove it manually'),
    sentences,
  };
}

function minorOf(version: string): number {
  return Number(version.split('.')[1] ?? 0);
}
