/** Releases of components: `v1.11.1`, `v1.12.0-beta.0`. */
import { compareVersions } from '../kubernetes-versions.ts';

/** Negative when `left` is older. A release is newer than those before it, `-beta.0`, of its own number. */
export function compareReleases(left: string, right: string): number {
  const [one, other] = [left, right].map(partsOf);
  if (one === undefined || other === undefined) return 0;
  const numbers = compareVersions(one.numbers, other.numbers);
  if (numbers !== 0 || one.before === other.before) return numbers;
  if (one.before === '' || other.before === '') return one.before === '' ? 1 : -1;
  return compareIdentifiers(one.before.split('.'), other.before.split('.'));
}

function compareIdentifiers(left: readonly string[], right: readonly string[]): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const [a, b] = [Number(one), Number(other)];
    const difference = Number.isNaN(a) || Number.isNaN(b) ? one.localeCompare(other, 'en') : a - b;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function partsOf(release: string): { readonly numbers: string; readonly before: string } {
  const [numbers = '', ...before] = release.split('-');
  return { numbers, before: before.join('-') };
}
