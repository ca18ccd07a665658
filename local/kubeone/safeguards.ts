/** What `kubeone apply` refuses to do, decided from what was found on the hosts and in the cluster. */
import type { KnownNode, Probe } from './installer.ts';

export interface Situation {
  readonly wantedVersion: string;
  /** Of all hosts of the manifest. */
  readonly probes: readonly Probe[];
  /** Host names of its control plane. */
  readonly controls: readonly string[];
  /** Nodes that the cluster knows; empty for a new one. */
  readonly live: readonly KnownNode[];
}

/** The reasons against going on, as sentences; none = go on. */
export function safeguardRefusals({ wantedVersion, probes, controls, live }: Situation): string[] {
  const authorities = new Set(probes.map(({ authority }) => authority).filter((authority) => authority !== null));
  const names = probes.filter(({ authority }) => authority !== null).map(({ host }) => host.hostname);
  if (authorities.size > 1) {
    return [`hosts belong to different clusters: ${names.join(', ')}; reset the ones that do not belong here`];
  }
  if (authorities.size === 1 && !probes.some(({ holdsAuthority }) => holdsAuthority)) {
    return [`no control-plane host has the cluster's keys, but ${names.join(', ')} belong to one; reset them first`];
  }
  const known = live.filter(({ name }) => probes.some(({ host }) => host.hostname === name));
  const joining = probes.filter(({ host }) => !live.some(({ name }) => name === host.hostname));
  const broken = probes.filter(
    ({ host, kubernetesVersion }) => kubernetesVersion === null && known.some(({ name }) => name === host.hostname),
  );
  if (broken.length > 0) {
    const names = broken.map(({ host }) => host.hostname).join(', ');
    return [
      `broken host(s) found, remove it manually: ${names} in the cluster without Kubernetes on the machine; delete the node, and its etcd member`,
    ];
  }
  const refused: string[] = [];
  for (const { name, version, control } of known) {
    if (control !== controls.includes(name)) {
      refused.push(
        `${name} is a ${control ? 'control-plane' : 'worker'} node already: remove it before it changes sides`,
      );
    }
    if (comparePatches(version, wantedVersion) > 0) {
      refused.push(`${name} runs ${version}: a downgrade to ${wantedVersion} is not possible`);
    } else if (minorOf(wantedVersion) > minorOf(version) + 1) {
      refused.push(`${name} runs ${version}: an upgrade to ${wantedVersion} skips a minor version`);
    }
  }
  const upgrade = known.some(({ version }) => comparePatches(version, wantedVersion) < 0);
  if (known.length > 0 && joining.length > 0 && upgrade) {
    const missing = joining.map(({ host }) => host.hostname).join(', ');
    refused.push(`upgrade and join at once is not possible: let ${missing} join with the present version first`);
  }
  return refused;
}

export function comparePatches(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(/[.-]/).map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (first?.[index] ?? 0) - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function minorOf(version: string): number {
  return Number(version.split('.')[1] ?? 0);
}
