/** Which GitSource owns a manifest of a namespace: the one that submitted it, until its file is gone there. */
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import type { ManifestRecord } from '#contracts/records.ts';

/** The GitSource among them that submits the manifest and still has its file. */
export function ownerAmong(others: readonly GitSourceRecord[], manifest: string): GitSourceRecord | undefined {
  return others.find(
    ({ submitted }) => Object.hasOwn(submitted, manifest) && submitted[manifest]?.goneSince === undefined,
  );
}

/**
 * The GitSource among them that may have the file by now: it was not read since the file was missed, or not without faults (a
 * file with a fault names no manifest), or it has a manifest of that name.
 */
export function mayHaveIt(
  others: readonly GitSourceRecord[],
  manifest: string,
  goneSince: string,
): GitSourceRecord | undefined {
  return others.find(({ document, status, askedAt = '', fetching }) => {
    if (document.spec.suspend) return false;
    if (status.state !== 'Ready' || fetching !== undefined || askedAt <= goneSince) return true;
    return status.manifests.some(({ name, state }) => name === manifest && state !== 'kept' && state !== 'deleted');
  });
}

/** Why a stored manifest is no longer the GitSource's own; undefined when it is. */
export function notItsOwn(
  own: GitSourceRecord['submitted'][string],
  stored: Pick<ManifestRecord, 'uid' | 'checksum'>,
): string | undefined {
  if (own.uid !== undefined && own.uid !== stored.uid)
    return 'someone deleted it and created it again since this GitSource submitted it';
  return own.checksum === stored.checksum ? undefined : 'someone changed it since this GitSource submitted it';
}
