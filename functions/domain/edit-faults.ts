/** What is wrong with an edit of a Terraform state, whatever the state has, and in a state with these addresses. */
import { guessText, nearest } from './nearest.ts';
import type { StateChange } from './state-edit.ts';

/** Types whose id is the secret itself: it would be part of documents, events and logs. */
const secretIds: ReadonlySet<string> = new Set(['random_password', 'random_string', 'random_bytes', 'random_id']);

/** What is wrong with it whatever the state has, a sentence each. */
export function changeFaults(change: StateChange): readonly string[] {
  switch (change.kind) {
    case 'rm':
      return repeated(change.addresses).map((address) => `${address} is named twice`);
    case 'mv': {
      const [from, to] = [typeIn(change.from), typeIn(change.to)];
      return [
        ...(change.from === change.to ? [`${change.from} is both the old and the new address`] : []),
        ...(from === to ? [] : [`${change.to} is of another type than ${change.from}: ${to} in place of ${from}`]),
        ...[change.from, change.to].filter(isRead).map((address) => `${address} is read, not managed: nothing to move`),
      ];
    }
    case 'import':
      return [
        ...(isRead(change.address) ? [`${change.address} is read, not managed: it cannot be imported`] : []),
        ...(secretIds.has(typeIn(change.address))
          ? [`${change.address}: the id of a ${typeIn(change.address)} is its secret, which requests must not have`]
          : []),
      ];
    default:
      return change satisfies never;
  }
}

/** What is wrong with it in a state that has these addresses, a sentence each with what there is. */
export function misfits(change: StateChange, known: readonly string[]): readonly string[] {
  const has = new Set(known);
  const missing = (address: string): readonly string[] => {
    if (has.has(address)) return [];
    return [`there is no ${address}${guessText(nearestAddress(address, known))}`];
  };
  const taken = (address: string, way: string): readonly string[] =>
    has.has(address) ? [`${address} exists already: ${way}`] : [];
  switch (change.kind) {
    case 'rm':
      return change.addresses.flatMap(missing);
    case 'mv':
      return [...missing(change.from), ...taken(change.to, 'remove it first, or name another address')];
    case 'import':
      return taken(change.address, 'remove it first if it is not the one that you mean');
    default:
      return change satisfies never;
  }
}

/** The same change was made already: its result is there. */
export function isMade(change: StateChange, known: readonly string[]): boolean {
  const has = new Set(known);
  switch (change.kind) {
    case 'rm':
      return !change.addresses.some((address) => has.has(address));
    case 'mv':
      return has.has(change.to) && !has.has(change.from);
    case 'import':
      return has.has(change.address);
    default:
      return change satisfies never;
  }
}

/** The addresses that a person means: that one, or all instances of a resource or module. */
export function addressesMeant(wanted: string, known: readonly string[]): readonly string[] {
  return known.filter(
    (address) => address === wanted || address.startsWith(`${wanted}.`) || address.startsWith(`${wanted}[`),
  );
}

/** The one that was most likely meant; a long address is compared by its end, where names differ. */
export function nearestAddress(wanted: string, known: readonly string[]): string | undefined {
  const ends = new Map(known.map((address) => [endOf(address), address]));
  const end = nearest(endOf(wanted), [...ends.keys()]);
  return nearest(wanted, known) ?? (end === undefined ? undefined : ends.get(end));
}

const endOf = (address: string): string => address.slice(-90);

function repeated(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.filter((address, place) => addresses.indexOf(address) !== place))];
}

function partsOf(address: string): readonly string[] {
  return address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, '').split('.');
}

const typeIn = (address: string): string => partsOf(address).at(-2) ?? '';

function isRead(address: string): boolean {
  const parts = partsOf(address);
  return parts.at(-3) === 'data' && parts.at(-4) !== 'module';
}
