/**
 * On a node of a cloud: reads its notices, and says the gravest by ending with it as the last words of the container, which the kubelet puts
 * into the status of the pod. So it needs neither a token nor a port, and a kubelet may write no other pod's status.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseJson } from '#domain/json.ts';
import { gravest, type Notice, type noticeClouds, SaidNotice } from '#domain/node-notice.ts';
import { awsNotices } from './aws-notices.ts';
import { azureNotices } from './azure-notices.ts';
import { gcpNotices } from './gcp-notices.ts';
import { type AskMetadata, metadataService } from './metadata-service.ts';

/** By type of the provider. */
export const noticeReaders = {
  aws: (ask: AskMetadata, now: () => Date) => awsNotices(ask, now),
  azure: (ask: AskMetadata) => azureNotices(ask),
  gcp: (ask: AskMetadata, now: () => Date) => gcpNotices(ask, now),
} as const satisfies Record<(typeof noticeClouds)[number], object>;

export function isNoticeCloud(cloud: string): cloud is keyof typeof noticeReaders {
  return Object.hasOwn(noticeReaders, cloud);
}

export interface Saying {
  readonly cloud: keyof typeof noticeReaders;
  /** `http://169.254.169.254` */
  readonly base: string;
  /** Survives the container, not the pod: what it said last, and whether the notices are known. */
  readonly directory: string;
  /** The last words of the container. */
  readonly lastWords: string;
  readonly everyMs: number;
  /** When the notices were not read for so long, they are not known. */
  readonly unknownMs: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Returns what has changed, once that is written; undefined after the signal. */
export async function sayNotices(saying: Saying): Promise<SaidNotice | undefined> {
  const { cloud, base, directory, lastWords, everyMs, unknownMs, signal, say } = saying;
  const [saidFile, knownFile] = [join(directory, 'said'), join(directory, 'known')];
  const read = noticeReaders[cloud](metadataService(base), () => new Date());
  const said = lastSaid(saidFile);
  // However it ends now, these are its last words.
  if (said) writeFileSync(lastWords, JSON.stringify(said));
  let readAt = performance.now();
  let fault = '';
  while (!signal.aborted) {
    try {
      const now = spoken(gravest(await read()));
      readAt = performance.now();
      fault = '';
      if (differs(now, said)) {
        writeFileSync(lastWords, JSON.stringify(now));
        writeFileSync(saidFile, JSON.stringify(now));
        return now;
      }
      if (!existsSync(knownFile)) writeFileSync(knownFile, '');
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown';
      if (reason !== fault) say(`the notices could not be read (${reason})`);
      fault = reason;
      if (performance.now() - readAt > unknownMs) rmSync(knownFile, { force: true });
    }
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** A time that moves, as that of a machine which ends at once does, is nothing new. */
function differs(now: SaidNotice, said: SaidNotice | undefined): boolean {
  return now.kind !== (said?.kind ?? 'none');
}

const spoken = (notice: Notice | undefined): SaidNotice => notice ?? { kind: 'none' };

function lastSaid(file: string): SaidNotice | undefined {
  return existsSync(file) ? SaidNotice.safeParse(parseJson(readFileSync(file, 'utf8'))).data : undefined;
}
