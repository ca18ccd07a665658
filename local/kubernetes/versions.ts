/** The Kubernetes versions between which the demo and tests upgrade, out of the one table. */
import { kubernetesVersions } from './parts.ts';

const versions = kubernetesVersions.map(({ version }) => version);
const minorOf = (version: string): string => version.slice(0, version.lastIndexOf('.'));

export const newest = versions.at(-1) ?? '';
export const patchBefore = last(versions.slice(0, -1).filter((version) => minorOf(version) === minorOf(newest)));
export const minorBefore = last(versions.filter((version) => minorOf(version) !== minorOf(newest)));

function last(found: readonly string[]): string {
  const version = found.at(-1);
  if (version === undefined) throw new Error('the table of Kubernetes versions has none to upgrade from');
  return version;
}
