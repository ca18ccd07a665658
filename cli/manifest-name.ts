/** How people name things on the command line: `NAME`, `NAMESPACE/NAME`, run ids. */
import type { ManifestName } from '#client/api-client.ts';
import { CliError, exitCodes } from './exit-codes.ts';

/** `name` or `namespace/name`; the option `-n` gives the namespace of a bare name. */
export function parseManifestName(argument: string, namespace = 'default', what = 'a manifest'): ManifestName {
  const parts = argument.split('/');
  const [first, second] = parts;
  if (parts.length === 2 && first && second) return { namespace: first, name: second };
  if (parts.length === 1 && first) return { namespace, name: first };
  throw new CliError(`"${argument}" is not ${what}: write NAME or NAMESPACE/NAME`, exitCodes.usage);
}

/** As a person would write it: without the namespace `default`. */
export function shortName({ namespace, name }: ManifestName): string {
  return namespace === 'default' ? name : `${namespace}/${name}`;
}

/** The manifest that a run id (`<manifest>-<uid>-g<generation>-a<attempt>`, of a drift check `-d<check>`) belongs to. */
export function manifestOfRun(run: string, namespace = 'default'): ManifestName {
  const match = runShape.exec(run);
  if (match?.[1]) return { namespace, name: match[1] };
  throw new CliError(`"${run}" is not a run id: \`kubeloom runs NAME\` lists them`, exitCodes.usage);
}

export const isRunId = (text: string): boolean => runShape.test(text);

/**
 * Compares the run `other` with `run`: the same, earlier or later, or of another manifest that has the same name. A
 * check for drift examines what an attempt of its generation has done: it is later.
 */
export function compareRuns(other: string, run: string): 'same' | 'earlier' | 'later' | 'other' {
  if (other === run) return 'same';
  const [, name, uid, ...place] = runShape.exec(run) ?? [];
  const [, otherName, otherUid, ...otherPlace] = runShape.exec(other) ?? [];
  if (name === undefined || name !== otherName || uid !== otherUid) return 'other';
  const [generation = 0, kind = 0, number = 0] = otherPlace.map(orderOf).map((value, at) => value - orderOf(place[at]));
  return (generation || kind || number) < 0 ? 'earlier' : 'later';
}

const runShape = /^(.+)-([a-z0-9]{5})-g(\d+)-([ad])([0-9a-z]+)$/;

/** The number in a part of a run id. Checks are counted in base 36; read like that, decimal numbers keep their order. */
const orderOf = (part = ''): number => Number.parseInt(part, 36);
