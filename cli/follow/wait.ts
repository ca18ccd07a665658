/** `--wait`: shows a run until its end and prints how it ended; Ctrl-C leaves it running and prints how to follow it again. */
import type { ManifestAccepted } from '#contracts/api-bodies.ts';
import type { RunEvent } from '#contracts/records.ts';
import { counted } from '#domain/words.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { whenInterrupted } from '../interrupt.ts';
import { shortName } from '../manifest-name.ts';
import { describeManifest } from '../print/describe-manifest.ts';
import { note, paint, paintStatus, print, printJson, printWrapped } from '../print/output.ts';
import { duration } from '../print/times.ts';
import { exitCodeOfRun, type Followed, follow, wasUndone } from './watch.ts';

export interface WaitOptions {
  readonly json: boolean;
  /** Its end is that the manifest is gone. */
  readonly deleting?: boolean;
}

export interface Waited extends Followed {
  readonly code: number;
}

/** Follows the accepted run to its end and prints the clusters that exist then (nothing with `json`). */
export async function waitForRun(
  api: CliClient,
  key: ManifestName,
  accepted: ManifestAccepted,
  { json, deleting = false }: WaitOptions,
): Promise<Waited> {
  const name = shortName(key);
  const forget = whenInterrupted(() => {
    note(
      `\nthe run ${accepted.runId} keeps running. Follow it: kubeloom events ${name} -f   stop it: kubeloom cancel ${name}`,
    );
  });
  const { runId, unchanged } = accepted;
  // What failed is described below, in the same lines.
  const shows = ({ kind }: RunEvent): boolean => kind !== 'ClusterFailed';
  const followed = await follow(api, key, { runId, quiet: json, fromNow: unchanged, shows }).finally(forget);
  const code = exitCodeOfRun(followed, { deleting, unchanged });
  if (!json) reportEnd(key, followed, { deleting, unchanged });
  return { ...followed, code };
}

/** What a request that was accepted prints, with `--wait` until its run has ended. Returns the exit code. */
export async function reportAndWait(
  api: CliClient,
  key: ManifestName,
  accepted: ManifestAccepted,
  { done, json = false, wait = false }: { readonly done: string; readonly json?: boolean; readonly wait?: boolean },
): Promise<number> {
  if (!json) reportAccepted(key, accepted, done);
  if (!wait || accepted.paused) {
    if (json) printJson({ accepted });
    return wait ? notStarted(accepted) : exitCodes.ok;
  }
  const { manifest, elapsedMs, code } = await waitForRun(api, key, accepted, { json });
  if (json) printJson({ accepted, manifest: manifest ?? null, elapsedMs, exitCode: code });
  return code;
}

function reportEnd(
  key: ManifestName,
  { manifest, elapsedMs }: Followed,
  { deleting, unchanged }: { readonly deleting: boolean; readonly unchanged: boolean },
): void {
  const title = `${key.namespace}/${key.name}`;
  const took = duration(elapsedMs);
  print();
  if (!manifest) {
    print(deleting ? `${title} deleted after ${took}` : `${title} is gone: it was deleted meanwhile`);
    return;
  }
  print(describeManifest(manifest));
  const ended = !unchanged && wasUndone(manifest) ? (manifest.lastRun?.status ?? '') : manifest.status;
  const status = manifest.paused && manifest.status !== 'Done' ? 'paused' : ended;
  // A run that was started before took longer than was watched.
  print(`\n${paintStatus(status)}${unchanged ? '' : ` after ${took}`}`);
}

/** Says that a manifest was accepted, and what follows. */
export function reportAccepted(key: ManifestName, accepted: ManifestAccepted, done = 'accepted'): void {
  const title = `${key.namespace}/${key.name}`;
  const name = shortName(key);
  if (accepted.unchanged)
    printWrapped(
      `${title} unchanged${accepted.paused ? ', paused' : ''} (generation ${accepted.generation}, run ${accepted.runId}); nothing was started`,
      2,
    );
  else if (accepted.paused)
    printWrapped(
      `${title} ${done}: generation ${accepted.generation}; it is paused, \`kubeloom resume ${name}\` starts it`,
      2,
    );
  else printWrapped(`${title} ${done}: generation ${accepted.generation}, run ${accepted.runId}`, 2);
}

/** The orphans of a deletion: they keep running and cost money, and Kubeloom no longer manages them. */
export function reportLeft(left: ManifestAccepted['left']): void {
  for (const { cluster, nodes, loadBalancers, terraformStates } of left ?? []) {
    print(
      `${paint('yellow', 'orphaned')} in cluster ${cluster}: ${counted(nodes.length, 'node')} and what belongs to them stay as they are`,
    );
    for (const { name, provider, region, address } of nodes)
      print(`  ${name}  ${[provider, region, address].filter(Boolean).join('  ')}`);
    for (const { name, dnsName } of loadBalancers) print(`  load balancer ${name}  ${dnsName}`);
    for (const state of terraformStates) print(`  ${paint('dim', `Terraform state kept: ${state}`)}`);
  }
}

/** Waiting for something that is not started. */
export const notStarted = (accepted: ManifestAccepted): number =>
  accepted.paused ? exitCodes.runFailed : exitCodes.ok;
