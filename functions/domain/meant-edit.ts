/** The edit of a Terraform state that a person means: which state, which resources, and everything that is wrong with it. */

import { addressesMeant, changeFaults, misfits, nearestAddress } from './edit-faults.ts';
import { guessText, nearest } from './nearest.ts';
import { StateChange, type StateEdit } from './state-edit.ts';
import { listed } from './words.ts';

/** As a person writes it; an address of `rm` may mean a whole resource or module. */
export type WantedChange =
  | { readonly kind: 'rm'; readonly addresses: readonly string[] }
  | { readonly kind: 'mv'; readonly from: string; readonly to: string }
  | { readonly kind: 'import'; readonly address: string; readonly id: string };

/** What is known of a Terraform state. */
export interface KnownState {
  readonly workspace: string;
  readonly serial: number | null;
  /** A newer one waits to be saved. */
  readonly waits: boolean;
  readonly addresses: readonly string[];
}

export type MeantEdit = { readonly edit: StateEdit } | { readonly faults: readonly string[] };

/** `workspace`: the state that the person names. @default the one that has what is meant */
export function meantEdit(wanted: WantedChange, states: readonly KnownState[], workspace?: string): MeantEdit {
  const among = workspace === undefined ? states : states.filter((state) => state.workspace === workspace);
  if (workspace !== undefined && among.length === 0) return { faults: [unknownState(workspace, states)] };
  const all = among.flatMap(({ addresses }) => addresses);
  const unknown = namedIn(wanted).flatMap((address) => unknownAddress(address, all));
  if (unknown.length > 0) return { faults: unknown };
  const places = among.filter((state) => isPlaceOf(wanted, state, among));
  const [state] = places;
  if (state === undefined || places.length > 1)
    return { faults: [whichState(wanted, places.length > 1 ? places : among)] };
  return inState(wanted, state);
}

function inState(wanted: WantedChange, { workspace, serial, waits, addresses }: KnownState): MeantEdit {
  const whole = wanted.kind === 'rm' ? removalOf(wanted.addresses, addresses) : wanted;
  const parsed = StateChange.safeParse(whole);
  const malformed = parsed.success ? [] : parsed.error.issues.map(({ path, message }) => pathText(path, message));
  const faults = [
    ...(waits
      ? [`a newer state of ${workspace} waits to be saved, which the next run does: \`kubeloom retry NAME\``]
      : []),
    ...malformed,
    ...(parsed.success ? [...changeFaults(parsed.data), ...misfits(parsed.data, addresses)] : []),
  ];
  return parsed.success && faults.length === 0 ? { edit: { workspace, serial, change: parsed.data } } : { faults };
}

function removalOf(wanted: readonly string[], known: readonly string[]): WantedChange {
  return { kind: 'rm', addresses: [...new Set(wanted.flatMap((address) => addressesMeant(address, known)))] };
}

/** Addresses that have to exist. */
function namedIn(wanted: WantedChange): readonly string[] {
  if (wanted.kind === 'rm') return wanted.addresses;
  return wanted.kind === 'mv' ? [wanted.from] : [];
}

function unknownAddress(address: string, known: readonly string[]): readonly string[] {
  if (addressesMeant(address, known).length > 0) return [];
  return [`no Terraform state has ${address}${guessText(nearestAddress(address, known))}`];
}

/** An import goes where its module is, if there is only one such place. */
function isPlaceOf(wanted: WantedChange, state: KnownState, all: readonly KnownState[]): boolean {
  if (wanted.kind !== 'import')
    return namedIn(wanted).some((address) => addressesMeant(address, state.addresses).length > 0);
  if (all.length === 1) return true;
  const [module] = /^module\.[\w-]+/.exec(wanted.address) ?? [];
  return module !== undefined && addressesMeant(module, state.addresses).length > 0;
}

function whichState(wanted: WantedChange, places: readonly KnownState[]): string {
  const names = listed(
    places.map(({ workspace }) => workspace),
    20,
  );
  const named = wanted.kind === 'import' ? [wanted.address] : namedIn(wanted);
  const has = ({ addresses }: KnownState, one: string) => addressesMeant(one, addresses).length > 0;
  const apart = places.some((state) => !named.every((one) => has(state, one)));
  if (wanted.kind === 'rm' && apart)
    return `${listed(named)} are in several Terraform states (${names}): one command for each`;
  return `${listed(named)}: several Terraform states are possible: choose one with --workspace (${names})`;
}

function unknownState(workspace: string, states: readonly KnownState[]): string {
  const names = states.map((state) => state.workspace);
  const guess = guessText(nearest(workspace, names));
  return `the cluster has no Terraform state ${workspace}${guess} (it has ${listed(names, 20)})`;
}

/** Words of schemas name the place: `from: …`. */
function pathText(path: readonly PropertyKey[], message: string): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
