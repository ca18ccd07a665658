/** How people name things on the command line: `NAME`, `NAMESPACE/NAME`, run ids. */
import type { ManifestName } from './api-client.ts';
import { CliError, exitCodes } from './exit-codes.ts';

/** `name` or `namespace/name`; the option `-n` gives the namespace of a bare name. */
export function parseManifestName(argument: string, namespace = 'default'): ManifestName {
  const parts = argument.split('/');
  const [first, second] = parts;
  if (parts.length === 2 && first && second) return { namespace: first, name: second };
  if (parts.length === 1 && first) return { namespace, name: first };
  throw new CliError(`"${argument}" is not a manifest: write NAME or NAMESPACE/NAME`, exitCodes.usage);
}

/** As a person would write it: without the namespace `default`. */
export function shortName({ namespace, name }: ManifestName): string {
  return namespace === 'default' ? name : `${namespace}/${name}`;
}

/** The manifest that a run id (`<manifest>-<uid>-g<generation>-a<attempt>`) belongs to. */
export function manifestOfRun(run: string, namespace = 'default'): ManifestName {
  const match = runShape.exec(run);
  if (match?.[1]) return { namespace, name: match[1] };
  throw new CliError(`"${run}" is not a run id: \`kubeloom runs NAME\` lists them`, exitCodes.usage);
}

/** How the run `other` stands to `run`: the same, before or after it, or of another manifest that bears the same name. */
export function compareRuns(other: string, run: string): 'same' | 'earlier' | 'later' | 'other' {
  if (other === run) return 'same';
  const [, name, uid, generation, attempt] = runShape.exec(run) ?? [];
  const [, otherName, otherUid, otherGeneration, otherAttempt] = runShape.exec(other) ?? [];
  if (name === undefined || name !== otherName || uid !== otherUid) return 'other';
  const distance = Number(otherGeneration) - Number(generation) || Number(otherAttempt) - Number(attempt);
  return distance < 0 ? 'earlier' : 'later';
}

const runShape = /^(.+)-([a-z0-9]{5})-g(\d+)-a(\d+)$/;
